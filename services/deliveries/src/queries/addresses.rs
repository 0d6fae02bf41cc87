//! The list of addresses.

use ::store::list::{Bounds, Listing};
use proto::common::v1::SortDirection;

use crate::entity::address::{Column, Entity};
use crate::queries::fields;

pub const LIST: Listing<Entity> = Listing {
    fields: fields::ADDRESSES,
    key: &[Column::AddressKey],
    default: ("address", SortDirection::Asc),
    bounds: Bounds::DEFAULT,
};
