//! The page: one file of our own HTML, style and scripts, and the recordings as data.

use serde::Serialize;

const HTML: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");
/// The scripts, in the order in which they build on each other.
const SCRIPTS: [&str; 3] =
    [include_str!("page/stream.js"), include_str!("page/text.js"), include_str!("page/main.js")];

/// The page of these recordings.
pub fn write_page(recordings: &impl Serialize) -> String {
    let data = serde_json::to_string(recordings).expect("keys are strings");
    let parts = [("STYLE", STYLE), ("DATA", &*harmless(&data)), ("SCRIPT", &SCRIPTS.concat())];
    let (mut page, mut rest) = (String::new(), HTML);
    for (name, part) in parts {
        let (before, after) =
            rest.split_once(name).expect("the page names its parts in this order");
        page += before;
        page += part;
        rest = after;
    }
    page + rest
}

/// JSON in which nothing ends a `<script>`, begins a comment or a tag, or is a line break to a script. These
/// characters stand only in texts, where an escape means the same.
fn harmless(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len() + json.len() / 16);
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' => {
                escaped += &format!("\\u{:04x}", u32::from(c));
            }
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_markup_of_the_page() {
        let text =
            "</script><script>alert(1)</script><!-- ]]> &lt; \u{2028}\u{2029}\0\u{9f} \"STYLE DATA";
        let page = write_page(&[text]);
        assert_eq!(page.matches("alert(1)").count(), 1);
        let data = page
            .split_once("type=\"application/json\">")
            .unwrap()
            .1
            .split_once("</script>")
            .unwrap()
            .0;
        assert!(!data.contains(['<', '>', '&', '\u{2028}', '\u{2029}', '\0', '\u{9f}']), "{data}");
        let read: Vec<String> = serde_json::from_str(data).unwrap();
        assert_eq!(read, [text]);
    }

    /// A script with its own end tag, or with a marker of the page, would tear the page.
    #[test]
    fn the_parts_fit_into_the_page() {
        let page = write_page(&[""; 0]);
        assert_eq!(page.matches("<script").count(), 2);
        assert_eq!(page.matches("</script>").count(), 2);
        assert_eq!(page.matches("<style>").count(), page.matches("</style>").count());
    }
}
