//! The files of the page, inside the program: nothing is loaded from anywhere else.

/// A file: its path, its content type, its text.
pub(crate) type PageFile = (&'static str, &'static str, &'static str);

/// A module of the page.
macro_rules! script {
    ($name:literal) => {
        (
            concat!("/", $name),
            "text/javascript; charset=utf-8",
            include_str!(concat!("page/", $name)),
        )
    };
}

pub(crate) const PAGE_FILES: [PageFile; 23] = [
    ("/index.html", "text/html; charset=utf-8", include_str!("page/index.html")),
    ("/style.css", "text/css; charset=utf-8", include_str!("page/style.css")),
    script!("connection.js"),
    script!("designer.js"),
    script!("dialog.js"),
    script!("dice.js"),
    script!("exploration.js"),
    script!("form.js"),
    script!("help.js"),
    script!("map.js"),
    script!("page.js"),
    script!("question.js"),
    script!("replay.js"),
    script!("settings.js"),
    script!("simulation.js"),
    script!("state_tree.js"),
    script!("step_trace.js"),
    script!("story.js"),
    script!("svg.js"),
    script!("text.js"),
    script!("widgets.js"),
    script!("words.js"),
    script!("work.js"),
];
