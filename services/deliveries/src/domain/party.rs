//! Validates what the office enters about a customer or a source.
//!
//! The length limits are the same as for imports. Texts are stored trimmed; an empty text counts as missing.
//! Deliberately absent: checks against the database, such as whether a name is taken or a version outdated.

use kit::Result;
use kit::input::text::{JOINERS, visible};
use kit::input::{Check, limits};
use proto::deliveries::v1 as wire;

use super::proof::PodRequirement;
use super::state::Place;

/// The editable fields of a customer: all but the name.
#[derive(Debug, Clone, PartialEq)]
pub struct Customer {
    pub email: Option<String>,
    pub address: String,
    pub code: Option<String>,
    pub phone: Option<String>,
    pub place: Option<Place>,
    /// `None` means that the requirement of the delivery's source applies or, without one, the setting.
    pub pod_requirement: Option<PodRequirement>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    pub name: String,
    pub is_active: bool,
    /// `None` means that the setting applies.
    pub pod_requirement: Option<PodRequirement>,
}

/// Parses the editable fields of a customer. The error lists everything that is wrong.
pub fn customer(request: wire::UpdateCustomerRequest) -> Result<Customer> {
    let mut check = Check::new();
    let read = Customer {
        email: check.email("customerEmail", "Customer Email", request.customer_email.as_deref()),
        address: check
            .lines("customerAddress", "Customer Address", Some(&request.customer_address), limits::ADDRESS)
            .unwrap_or_default(),
        code: check.line("code", "Code", request.code.as_deref(), limits::CODE),
        phone: check.line("phone", "Phone", request.phone.as_deref(), limits::PHONE),
        place: request.address_point.and_then(|point| check.read("addressPoint", place(point))),
        pod_requirement: check.read("podRequirement", requirement(request.pod_requirement)).flatten(),
    };
    check.done(read)
}

/// Parses a source. The error lists everything that is wrong.
pub fn source(name: &str, is_active: bool, pod_requirement: Option<wire::ProofSet>) -> Result<Source> {
    let mut check = Check::new();
    let name = check.required("name", "Name", &visible(name, JOINERS), limits::SHORT_NAME);
    let pod_requirement = check.read("podRequirement", requirement(pod_requirement)).flatten();
    check.done(Source { name, is_active, pod_requirement })
}

fn place(point: wire::GeoPoint) -> Result<Place, String> {
    let place = Place::from(point);
    if place.is_on_earth() { Ok(place) } else { Err(Place::NOT_ON_EARTH.to_owned()) }
}

fn requirement(set: Option<wire::ProofSet>) -> Result<Option<PodRequirement>, String> {
    let Some(set) = set else { return Ok(None) };
    PodRequirement::parse(set.proofs.iter().map(String::as_str)).map(Some).map_err(|error| error.message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::proof::Proof;

    fn form() -> wire::UpdateCustomerRequest {
        wire::UpdateCustomerRequest {
            customer_name: "Aling Nena Store".into(),
            version: 1,
            customer_email: Some(" nena@store.example ".into()),
            customer_address: " 12 Mabini St,\nPasig ".into(),
            code: Some("  ".into()),
            phone: Some("+63 917 555 0101".into()),
            address_point: Some(wire::GeoPoint { lat: 14.56, lng: 121.02, accuracy: Some(15.0) }),
            pod_requirement: Some(wire::ProofSet { proofs: vec!["photo".into(), "signature".into()] }),
        }
    }

    #[test]
    fn texts_are_trimmed_and_empty_ones_are_none() {
        let it = customer(form()).unwrap();
        assert_eq!(it.email.as_deref(), Some("nena@store.example"));
        assert_eq!(it.address, "12 Mabini St,\nPasig");
        assert_eq!(it.code, None);
        assert_eq!(it.pod_requirement, Some(PodRequirement::of(&[Proof::Signature, Proof::Photo])));
        let nothing = wire::UpdateCustomerRequest { customer_name: "X".into(), ..Default::default() };
        let it = customer(nothing).unwrap();
        assert_eq!((it.email, it.address.as_str(), it.place, it.pod_requirement), (None, "", None, None));
    }

    #[test]
    fn nothing_required_is_a_decision() {
        let set = Some(wire::ProofSet { proofs: Vec::new() });
        assert_eq!(source("Web", true, set).unwrap().pod_requirement, Some(PodRequirement::default()));
        assert_eq!(source("Web", true, None).unwrap().pod_requirement, None);
    }

    #[test]
    fn everything_wrong_is_told_under_its_field() {
        let error = customer(wire::UpdateCustomerRequest {
            customer_email: Some("nena at store".into()),
            customer_address: "é".repeat(501),
            code: Some("7".repeat(65)),
            phone: Some("1\n2".into()),
            address_point: Some(wire::GeoPoint { lat: 91.0, lng: 0.0, accuracy: None }),
            pod_requirement: Some(wire::ProofSet { proofs: vec!["pin".into()] }),
            ..form()
        })
        .unwrap_err();
        assert_eq!((error.kind, error.reason.as_str()), (kit::Kind::InvalidInput, "INVALID_FIELDS"));
        let fields: Vec<_> = error.fields.keys().map(String::as_str).collect();
        assert_eq!(
            fields,
            ["addressPoint", "code", "customerAddress", "customerEmail", "phone", "podRequirement"]
        );
        assert_eq!(error.fields["code"], ["Code must have no more than 64 characters"]);
    }

    #[test]
    fn a_source_needs_a_name_on_one_line() {
        assert_eq!(source(" Pasig warehouse ", false, None).unwrap().name, "Pasig warehouse");
        assert_eq!(source(" ", true, None).unwrap_err().fields["name"], ["Name is required"]);
        assert!(source("a\nb", true, None).is_err());
        assert!(source(&"é".repeat(100), true, None).is_ok());
        assert!(source(&"é".repeat(101), true, None).is_err());
    }
}
