//! Where a ping came from: the peer, or who stands behind a trusted proxy; it ends in [`watchclock_domain::ping::Source`].

use std::net::IpAddr;

use axum::http::HeaderMap;
use ipnet::IpNet;

use super::clean;

/// Longest client address that is kept, in characters: a proxy may pass on anything.
const MAX_ADDR_CHARS: usize = 200;

/// The client's address as text. Only a trusted peer is asked whom it speaks for; of the hops that it names, the last
/// that is not trusted itself is the client. Garbage there is kept as text.
pub fn client(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> String {
    let peer = peer.to_canonical();
    let is_trusted = |addr: &IpAddr| trusted.iter().any(|net| net.contains(addr));
    if !is_trusted(&peer) {
        return peer.to_string();
    }
    // A proxy that sets the one passes on the other as the client sent it, so only one may count.
    let mut hops = forwarded_for(headers);
    if hops.is_empty() {
        hops = forwarded(headers);
    }
    let client =
        hops.iter().rev().find(|hop| parse(hop).is_none_or(|addr| !is_trusted(&addr))).or(hops.first());
    match client {
        Some(hop) => parse(hop).map_or_else(|| clean::short(hop, MAX_ADDR_CHARS), |addr| addr.to_string()),
        None => peer.to_string(),
    }
}

/// The hops of `X-Forwarded-For`, the nearest last.
fn forwarded_for(headers: &HeaderMap) -> Vec<String> {
    values(headers, "x-forwarded-for")
        .flat_map(|value| value.split(',').map(|hop| hop.trim().to_owned()).collect::<Vec<_>>())
        .filter(|hop| !hop.is_empty())
        .collect()
}

/// The hops of `Forwarded` (RFC 7239), the nearest last.
fn forwarded(headers: &HeaderMap) -> Vec<String> {
    values(headers, "forwarded")
        .flat_map(|value| {
            value
                .split(',')
                .filter_map(|hop| {
                    hop.split(';').find_map(|part| {
                        let (name, node) = part.split_once('=')?;
                        name.trim()
                            .eq_ignore_ascii_case("for")
                            .then(|| node.trim().trim_matches('"').to_owned())
                    })
                })
                .collect::<Vec<_>>()
        })
        .filter(|hop| !hop.is_empty())
        .collect()
}

fn values<'a>(headers: &'a HeaderMap, name: &str) -> impl Iterator<Item = String> + use<'a> {
    headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// An address with or without a port: `1.2.3.4:5`, `[::1]:5`, `::1`.
fn parse(hop: &str) -> Option<IpAddr> {
    let bare = match hop.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((addr, _)) => addr,
        // One colon parts a port from IPv4; more are IPv6.
        None => hop.split_once(':').filter(|(_, port)| !port.contains(':')).map_or(hop, |(addr, _)| addr),
    };
    bare.parse::<IpAddr>().ok().map(|addr| addr.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(peer: &str, trusted: &[&str], headers: &[(&'static str, &str)]) -> String {
        let trusted: Vec<IpNet> = trusted.iter().map(|net| net.parse().unwrap()).collect();
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        client(peer.parse().unwrap(), &map, &trusted)
    }

    #[test]
    fn an_untrusted_peer_speaks_for_itself() {
        let spoofed = [("x-forwarded-for", "9.9.9.9"), ("forwarded", "for=9.9.9.9")];
        assert_eq!(seen("1.2.3.4", &[], &spoofed), "1.2.3.4");
        assert_eq!(seen("1.2.3.4", &["10.0.0.0/8"], &spoofed), "1.2.3.4");
        assert_eq!(seen("::ffff:1.2.3.4", &[], &[]), "1.2.3.4");
        assert_eq!(seen("2001:db8::1", &[], &[]), "2001:db8::1");
    }

    #[test]
    fn behind_trusted_proxies() {
        for (value, client) in [
            ("9.9.9.9", "9.9.9.9"),
            ("8.8.8.8, 9.9.9.9", "9.9.9.9"),
            ("9.9.9.9, 10.0.0.7", "9.9.9.9"),
            ("8.8.8.8, 9.9.9.9, 10.0.0.7,10.0.0.8", "9.9.9.9"),
            ("10.0.0.7, 10.0.0.8", "10.0.0.7"),
            ("1.2.3.4:5555", "1.2.3.4"),
            ("[2001:db8::1]:5555", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("2001:DB8::1", "2001:db8::1"),
            ("::ffff:9.9.9.9", "9.9.9.9"),
            ("unknown", "unknown"),
            ("9.9.9.9, garbage <b>", "garbage <b>"),
            ("", "10.0.0.1"),
            (" , ,", "10.0.0.1"),
        ] {
            assert_eq!(seen("10.0.0.1", &["10.0.0.0/8"], &[("x-forwarded-for", value)]), client, "{value}");
        }
    }

    #[test]
    fn several_headers_and_forwarded() {
        let lines = [("x-forwarded-for", "8.8.8.8"), ("x-forwarded-for", "9.9.9.9")];
        assert_eq!(seen("10.0.0.1", &["10.0.0.0/8"], &lines), "9.9.9.9");
        for (value, client) in [
            ("for=9.9.9.9", "9.9.9.9"),
            ("For=\"[2001:db8::1]:47\";proto=https, for=10.0.0.7;by=10.0.0.1", "2001:db8::1"),
            ("proto=https;for=_hidden", "_hidden"),
            ("proto=https", "10.0.0.1"),
            (";;=,", "10.0.0.1"),
        ] {
            assert_eq!(seen("10.0.0.1", &["10.0.0.0/8"], &[("forwarded", value)]), client, "{value}");
        }
        let both = [("forwarded", "for=6.6.6.6"), ("x-forwarded-for", "9.9.9.9")];
        assert_eq!(seen("10.0.0.1", &["10.0.0.0/8"], &both), "9.9.9.9");
    }

    #[test]
    fn a_mapped_peer_is_trusted_by_its_own_address() {
        let hop = [("x-forwarded-for", "9.9.9.9")];
        assert_eq!(seen("::ffff:127.0.0.1", &["127.0.0.0/8"], &hop), "9.9.9.9");
        let long = "x".repeat(5_000);
        assert_eq!(seen("127.0.0.1", &["127.0.0.0/8"], &[("x-forwarded-for", &long)]).len(), 200);
    }
}
