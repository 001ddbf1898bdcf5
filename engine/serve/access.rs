//! Who may ask: the host, the origin and the token of each request are checked. A page of another
//! site can send requests to this machine, but it knows no token, cannot set the origin, and reaches
//! this server only under the site's own host name.

use std::net::IpAddr;

use crate::http_request::HttpRequest;

/// The rules of one server.
pub(crate) struct AccessRules {
    token: String,
    port: u16,
    /// Whether other machines may ask.
    allows_other_machines: bool,
}

impl AccessRules {
    pub(crate) fn new(token: String, port: u16, allows_other_machines: bool) -> Self {
        Self { token, port, allows_other_machines }
    }

    /// Why a request is refused, if it is.
    pub(crate) fn refusal(&self, request: &HttpRequest) -> Option<&'static str> {
        let Ok(Some(host)) = request.single_header("host") else {
            return Some("the request names no host");
        };
        if !self.is_own_host(host) {
            return Some("the request names another host");
        }
        let origin = request.single_header("origin");
        match origin {
            Ok(None) => {}
            Ok(Some(origin)) if origin.strip_prefix("http://") == Some(host) => {}
            _ => return Some("the request comes from another page"),
        }
        if !self.has_token(request) {
            return Some("open the whole address that sub-rosa has printed");
        }
        let has_token_in_header = self.is_token(request.header("x-sub-rosa-token"));
        if request.method != "GET" && origin == Ok(None) && !has_token_in_header {
            return Some("the request names no origin");
        }
        None
    }

    /// Whether the token is in the address, as when the page is opened.
    pub(crate) fn has_token_in_address(&self, request: &HttpRequest) -> bool {
        self.is_token(request.parameter("token"))
    }

    /// The cookie with the token, for this page's own requests.
    pub(crate) fn cookie(&self) -> String {
        format!("{}={}; Path=/; HttpOnly; SameSite=Strict", self.cookie_name(), self.token)
    }

    fn has_token(&self, request: &HttpRequest) -> bool {
        let is_first_page = request.path == "/" && self.has_token_in_address(request);
        is_first_page
            || self.is_token(request.cookie(&self.cookie_name()))
            || self.is_token(request.header("x-sub-rosa-token"))
    }

    /// Cookies are shared by all ports of a host, so the name has the port.
    fn cookie_name(&self) -> String {
        format!("sub_rosa_{}", self.port)
    }

    /// An address, not a name: a name can be made to lead here by its owner.
    fn is_own_host(&self, host: &str) -> bool {
        let Some((name, port)) = host.rsplit_once(':') else { return false };
        if port != self.port.to_string() {
            return false;
        }
        let address =
            name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
        match address.parse::<IpAddr>() {
            Ok(address) => address.is_loopback() || self.allows_other_machines,
            Err(_) => name == "localhost",
        }
    }

    /// Compares in a time that does not depend on how much is equal.
    fn is_token(&self, found: Option<&str>) -> bool {
        let found = found.unwrap_or_default().as_bytes();
        let differences = self.token.bytes().zip(found).fold(0, |sum, (a, b)| sum | (a ^ b));
        found.len() == self.token.len() && differences == 0
    }
}
