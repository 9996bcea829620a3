//! The page's files, which are part of the program.

use axum::{
    http::header::{CACHE_CONTROL, CONTENT_TYPE},
    response::{IntoResponse, Response},
};

/// A file as it lies in `page/`
pub(crate) struct Asset {
    pub(crate) path: &'static str,
    mime: &'static str,
    text: &'static str,
}

impl Asset {
    pub(crate) fn response(&self) -> Response {
        // Another build may serve another page at the same address.
        let headers = [(CONTENT_TYPE, self.mime), (CACHE_CONTROL, "no-cache")];
        (headers, self.text).into_response()
    }
}

pub(crate) static ASSETS: [Asset; 9] = [
    html("/", include_str!("page/index.html")),
    css("/style.css", include_str!("page/style.css")),
    svg("/icon.svg", include_str!("page/icon.svg")),
    js("/buttons.js", include_str!("page/buttons.js")),
    js("/chart.js", include_str!("page/chart.js")),
    js("/format.js", include_str!("page/format.js")),
    js("/main.js", include_str!("page/main.js")),
    js("/rings.js", include_str!("page/rings.js")),
    js("/surface.js", include_str!("page/surface.js")),
];

const fn html(path: &'static str, text: &'static str) -> Asset {
    Asset { path, mime: "text/html; charset=utf-8", text }
}

const fn css(path: &'static str, text: &'static str) -> Asset {
    Asset { path, mime: "text/css; charset=utf-8", text }
}

const fn svg(path: &'static str, text: &'static str) -> Asset {
    Asset { path, mime: "image/svg+xml", text }
}

const fn js(path: &'static str, text: &'static str) -> Asset {
    Asset { path, mime: "text/javascript; charset=utf-8", text }
}
