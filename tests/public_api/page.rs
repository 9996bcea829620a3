/// The pages and the names of all public items
pub(crate) fn items(all: &str) -> Vec<(String, String)> {
    let list = all.split_once("id=\"main-content\"").map_or("", |(_, list)| list);
    let links = list.split("<li><a href=\"").skip(1);
    links
        .filter_map(|link| {
            let (page, rest) = link.split_once("\">")?;
            let (item, _) = rest.split_once("</a>")?;
            Some((page.to_owned(), item.to_owned()))
        })
        .collect()
}

/// What a crate passes on of others
pub(crate) fn re_exports(index: &str) -> Vec<String> {
    let found = index.split("id=\"reexport.").skip(1);
    found.filter_map(|rest| text_between(rest, "<code>", "</code>")).collect()
}

/// The declaration of an item, what is implemented for it, and the methods in that
pub(crate) fn lines(page: &str, is_trait: bool) -> Vec<String> {
    // The rest is about all types, or about those of others.
    let ends = ["synthetic-implementations", "blanket-implementations", "implementors"];
    let end = ends.iter().filter_map(|id| page.find(&format!("id=\"{id}\""))).min();
    let page = &page[..end.unwrap_or(page.len())];

    let mut lines = Vec::new();
    if let Some(declaration) = text_between(page, "<pre class=\"rust item-decl\">", "</pre>") {
        lines.push(format!("    {declaration}"));
    }
    if is_trait {
        // Its methods are in the declaration.
        return lines;
    }
    let mut is_of_a_trait = false;
    for header in page.split("<h").skip(1) {
        let (level, rest) = header.split_at(1);
        let Some(rest) = rest.strip_prefix(" class=\"code-header\">") else { continue };
        let Some((header, _)) = rest.split_once(&format!("</h{level}>")) else { continue };
        let header = text(header);
        if header.starts_with("impl") {
            is_of_a_trait = header.contains(" for ");
            lines.push(format!("    {header}"));
        } else if header.starts_with("pub ") || is_of_a_trait && header.starts_with("type ") {
            lines.push(format!("        {header}"));
        }
    }
    lines
}

fn text_between(html: &str, from: &str, to: &str) -> Option<String> {
    let (_, rest) = html.split_once(from)?;
    let (inside, _) = rest.split_once(to)?;
    Some(text(inside))
}

/// Without tags, on one line
fn text(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some((before, tag)) = rest.split_once('<') {
        text.push_str(before);
        let (name, after) = tag.split_once('>').unwrap_or((tag, ""));
        // A summary says how many lines are folded away.
        rest = if name.starts_with("summary") {
            after.split_once("</summary>").map_or(after, |(_, after)| after)
        } else {
            after
        };
        if name.starts_with("br") || name.starts_with("div") {
            text.push(' ');
        }
    }
    text.push_str(rest);
    let entities = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ];
    for (entity, character) in entities {
        text = text.replace(entity, character);
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
