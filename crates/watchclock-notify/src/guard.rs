//! Which addresses a channel may reach: public ones, unless the instance allows more. `http.rs` asks at every send.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

/// The setting that opens private targets, as people set it.
pub(crate) const SETTING: &str = "WATCHCLOCK_ALLOW_PRIVATE_TARGETS";

/// IPv4 that is not the public internet: IANA's special-purpose registry, multicast, and one cloud's metadata service.
const CLOSED_V4: [Ipv4Net; 16] = [
    v4([0, 0, 0, 0], 8),
    v4([10, 0, 0, 0], 8),
    v4([100, 64, 0, 0], 10),
    v4([127, 0, 0, 0], 8),
    v4([168, 63, 129, 16], 32), // Azure's metadata and agent service, public in form only
    v4([169, 254, 0, 0], 16),
    v4([172, 16, 0, 0], 12),
    v4([192, 0, 0, 0], 24),
    v4([192, 0, 2, 0], 24),
    v4([192, 88, 99, 0], 24),
    v4([192, 168, 0, 0], 16),
    v4([198, 18, 0, 0], 15),
    v4([198, 51, 100, 0], 24),
    v4([203, 0, 113, 0], 24),
    v4([224, 0, 0, 0], 4),
    v4([240, 0, 0, 0], 4),
];

/// IPv6 outside 2000::/3 is closed anyway; these are the special parts of it.
const CLOSED_V6: [Ipv6Net; 4] = [
    v6(Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    v6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    v6(Ipv6Addr::new(0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0), 48),
    v6(Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

const fn v4([a, b, c, d]: [u8; 4], prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6(address: Ipv6Addr, prefix: u8) -> Ipv6Net {
    Ipv6Net::new_assert(address, prefix)
}

/// A target was refused; the text says which setting would allow it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    host: String,
    address: Option<IpAddr>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.host)?;
        match self.address {
            Some(address) if address.to_string() != self.host.trim_matches(['[', ']']) => {
                write!(f, "is the private address {address}")?;
            }
            _ => f.write_str("is a private address")?,
        }
        write!(f, " and was not contacted; {SETTING}=true on the server would allow it")
    }
}

impl std::error::Error for Refused {}

/// Refuses a URL whose host is itself a private address, however it is written (`2130706433`, `0x7f.1`), or `localhost`.
pub(crate) fn check_literal(url: &Url) -> Result<(), Refused> {
    let (host, address) = match url.host() {
        Some(Host::Ipv4(v4)) => (v4.to_string(), Some(IpAddr::V4(v4))),
        Some(Host::Ipv6(v6)) => (format!("[{v6}]"), Some(IpAddr::V6(v6))),
        Some(Host::Domain(name)) => {
            let bare = name.trim_end_matches('.');
            if bare == "localhost" || bare.ends_with(".localhost") {
                return Err(Refused { host: bare.to_owned(), address: None });
            }
            return Ok(());
        }
        None => return Ok(()),
    };
    match address {
        Some(ip) if !is_public(ip) => Err(Refused { host, address }),
        _ => Ok(()),
    }
}

/// Whether an address is on the public internet.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !CLOSED_V4.iter().any(|net| net.contains(&address))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(inner) = embedded_v4(address) {
        return is_public_v4(inner);
    }
    let global = address.segments()[0] & 0xe000 == 0x2000;
    global && !CLOSED_V6.iter().any(|net| net.contains(&address))
}

/// The IPv4 address that an IPv6 one leads to: mapped (`::ffff:0:0/96`), NAT64 (`64:ff9b::/96`), 6to4 (`2002::/16`).
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    match address.octets() {
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, inner @ ..]
        | [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, inner @ ..]
        | [0x20, 0x02, inner @ .., _, _, _, _, _, _, _, _, _, _] => Some(Ipv4Addr::from(inner)),
        _ => None,
    }
}

/// Resolves names to their public addresses only, so that the connection goes to what was checked.
#[derive(Debug, Clone)]
pub(crate) struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        let host = name.as_str().to_owned();
        Box::pin(async move {
            let found: Vec<_> = tokio::net::lookup_host((host.as_str(), 0)).await?.collect();
            let (public, closed): (Vec<_>, Vec<_>) = found.into_iter().partition(|at| is_public(at.ip()));
            match closed.first() {
                Some(first) if public.is_empty() => Err(Refused { host, address: Some(first.ip()) }.into()),
                _ => Ok(Box::new(public.into_iter()) as Addrs),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_private_address_is_refused() {
        for host in [
            "127.0.0.1",
            "2130706433",
            "0x7f000001",
            "0x7f.1",
            "017700000001",
            "127.1",
            "127.0.0.1.",
            "0.0.0.0",
            "10.1.2.3",
            "172.31.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "168.63.129.16",
            "100.100.100.200",
            "255.255.255.255",
            "[::]",
            "[::1]",
            "[::ffff:10.0.0.1]",
            "[::ffff:a9fe:a9fe]",
            "[::127.0.0.1]",
            "[64:ff9b::7f00:1]",
            "[64:ff9b:1::1]",
            "[2002:7f00:1::]",
            "[2001::1]",
            "[fd00:ec2::254]",
            "[fe80::1]",
            "[fec0::1]",
            "[ff02::1]",
            "localhost",
            "LOCALHOST.",
            "db.localhost",
        ] {
            let url = Url::parse(&format!("http://{host}/hook")).unwrap();
            let refused = check_literal(&url).expect_err(host);
            assert!(refused.to_string().contains(SETTING), "{refused}");
        }
    }

    #[test]
    fn public_addresses_pass() {
        for host in
            ["1.1.1.1", "172.32.0.1", "[2606:4700::1111]", "[64:ff9b::101:101]", "[2002:101:101::]", "x.org"]
        {
            let url = Url::parse(&format!("https://{host}/hook")).unwrap();
            assert_eq!(check_literal(&url), Ok(()), "{host}");
        }
    }

    #[tokio::test]
    async fn a_name_that_leads_home_is_refused_with_its_address() {
        let error = match PublicOnly.resolve("localhost".parse().unwrap()).await {
            Ok(found) => panic!("resolved to {:?}", found.collect::<Vec<_>>()),
            Err(error) => error.to_string(),
        };
        assert!(error.contains("localhost is the private address"), "{error}");
    }
}
