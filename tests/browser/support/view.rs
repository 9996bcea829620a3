//! What a page is looked at with.

/// A screen and what its user prefers
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    pub name: &'static str,
    pub width: u32,
    pub height: u32,
    /// Pixels of the screen for one of CSS, each way
    pub ratio: u32,
    pub scheme: Scheme,
    pub reduced_motion: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    Light,
    Dark,
}

impl View {
    pub const DESKTOP: Self = Self {
        name: "desktop",
        width: 1280,
        height: 900,
        ratio: 1,
        scheme: Scheme::Light,
        reduced_motion: false,
    };
    /// Of a size that documentation can take
    pub const PICTURE: Self = Self { name: "picture", width: 1120, height: 820, ..Self::DESKTOP };
    pub const PHONE: Self =
        Self { name: "phone", width: 360, height: 740, ratio: 2, ..Self::DESKTOP };

    pub fn dark(self) -> Self {
        Self { scheme: Scheme::Dark, ..self }
    }

    pub fn with_reduced_motion(self) -> Self {
        Self { reduced_motion: true, ..self }
    }
}

impl Scheme {
    pub fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}
