//! What each address of the server gives: the files of the page, its events, and its answers.

use crate::designer_tools::DesignerTools;
use crate::http_request::HttpRequest;
use crate::http_response::HttpResponse;
use crate::message_log::AnswerRefusal;
use crate::page_files::PAGE_FILES;
use crate::server::ServerState;

/// What a request gets.
pub(crate) enum Route {
    Response(HttpResponse),
    /// The messages after a number, for as long as the page is open.
    Events {
        after: u64,
        takes_over: bool,
    },
}

/// Finds what a request gets that may be answered.
pub(crate) fn find_route(server: &ServerState, request: &HttpRequest) -> Route {
    let number = |name: &str| request.parameter(name).and_then(|number| number.parse().ok());
    match (&*request.method, &*request.path) {
        ("GET", "/events") => {
            let last_id = request.header("last-event-id").and_then(|id| id.parse().ok());
            let after = last_id.or_else(|| number("after")).unwrap_or(0);
            return Route::Events { after, takes_over: request.parameter("take") == Some("1") };
        }
        ("GET", "/work") => {
            let tools = server.designer_tools.as_ref();
            if let Some(results) = tools.and_then(DesignerTools::work_results) {
                return Route::Response(HttpResponse::from_file(
                    "application/json; charset=utf-8",
                    &results,
                ));
            }
        }
        ("GET", path) => {
            let name = if path == "/" { "/index.html" } else { path };
            if let Some((_, content_type, text)) = PAGE_FILES.iter().find(|(of, ..)| *of == name) {
                let mut response = HttpResponse::from_file(content_type, text);
                if path == "/" && server.access.has_token_in_address(request) {
                    response.cookie = Some(server.access.cookie());
                }
                return Route::Response(response);
            }
        }
        ("POST", "/answer" | "/why" | "/work" | "/work/stop")
            if request.header("content-type") != Some("application/json") =>
        {
            return Route::Response(HttpResponse::from_text(415, "the content type must be JSON"));
        }
        ("POST", "/answer") => {
            let (page, question) = (number("page").unwrap_or(0), number("question").unwrap_or(0));
            return Route::Response(match server.log.give_answer(page, question, &request.body) {
                Ok(()) => HttpResponse::from_text(200, "taken"),
                Err(AnswerRefusal::OtherPage) => {
                    HttpResponse::from_text(409, "this run is open in another page")
                }
                Err(AnswerRefusal::OldQuestion) => {
                    HttpResponse::from_text(409, "this question is answered already")
                }
            });
        }
        ("POST", "/why") => {
            if let Some(tools) = &server.designer_tools {
                return Route::Response(match serde_json::from_str::<String>(&request.body) {
                    Ok(words) => {
                        HttpResponse::from_text(200, (tools.author_query)(&words).trim_end())
                    }
                    Err(_) => HttpResponse::from_text(400, "the body must be a JSON text"),
                });
            }
        }
        ("POST", "/work") => {
            let tools = server.designer_tools.as_ref();
            if let Some(started) = tools.and_then(|tools| tools.start_work(&request.body)) {
                return Route::Response(match started {
                    Ok(()) => HttpResponse::from_text(200, "started"),
                    Err(reason) => HttpResponse::from_text(400, &reason),
                });
            }
        }
        ("POST", "/work/stop") => {
            if let Some(tools) = &server.designer_tools {
                tools.stop_work();
                return Route::Response(HttpResponse::from_text(200, "stopped"));
            }
        }
        ("POST", _) => {}
        _ => return Route::Response(HttpResponse::from_text(405, "only GET and POST")),
    }
    Route::Response(HttpResponse::from_text(404, "there is nothing here"))
}
