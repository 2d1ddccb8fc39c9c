//! What a table is made of, as JSON. A struct is an object: a key that is not there is as by default, what is as by
//! default is left out, and a key that nobody knows is a mistake. What has words is written by them.

macro_rules! data {
    ($(#[$attr:meta])* $vis:vis struct $name:ident {
        $($(#[$doc:meta])* $field_vis:vis $field:ident: $type:ty,)*
    } $($more:tt)*) => {
        $(#[$attr])*
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
        $vis struct $name {$(
            $(#[$doc])*
            #[cfg_attr(
                feature = "serde",
                serde(skip_serializing_if = "crate::dialect::data::is_default")
            )]
            $field_vis $field: $type,
        )*}

        $crate::dialect::data::data! { $($more)* }
    };
    ($(#[$attr:meta])* $vis:vis enum $name:ident { $($words:tt)* } $($more:tt)*) => {
        $(#[$attr])*
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
        $vis enum $name { $($words)* }

        $crate::dialect::data::data! { $($more)* }
    };
    () => {};
}

/// The same for a table itself, in which no object is a list of the values of its keys ([`Objects`](crate::objects)).
macro_rules! table {
    ($(#[$attr:meta])* $vis:vis struct $name:ident {
        $($(#[$doc:meta])* $field_vis:vis $field:ident: $type:ty,)*
    } no key { $(#[$own_doc:meta])* $own_vis:vis $own:ident: $own_type:ty, }) => {
        $(#[$attr])*
        $vis struct $name {
            $($(#[$doc])* $field_vis $field: $type,)*
            $(#[$own_doc])* $own_vis $own: $own_type,
        }

        #[cfg(feature = "serde")]
        const _: () = {
            use serde::{Deserialize, Deserializer, Serialize, Serializer};

            #[derive(serde::Serialize, serde::Deserialize)]
            #[serde(remote = "DialectSpec", default = "DialectSpec::empty", deny_unknown_fields)]
            struct Keys {$(
                #[serde(skip_serializing_if = "crate::dialect::data::is_default")]
                $field: $type,
            )*
                #[serde(skip)]
                $own: $own_type,
            }

            impl<'de> Deserialize<'de> for DialectSpec {
                fn deserialize<D: Deserializer<'de>>(from: D) -> Result<DialectSpec, D::Error> {
                    Keys::deserialize(crate::objects::Objects(from))
                }
            }

            impl Serialize for DialectSpec {
                fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                    Keys::serialize(self, to)
                }
            }
        };
    };
}

pub(super) use {data, table};

#[cfg(feature = "serde")]
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[cfg(feature = "serde")]
pub(super) fn is_true(value: &bool) -> bool {
    *value
}
