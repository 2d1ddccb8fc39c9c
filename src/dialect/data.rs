//! The parts of the written form as JSON. A struct is an object: a missing key has its default, a default is not
//! written, and an unknown key is a mistake. A variant of an enum is written as a word.

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

pub(super) use data;

#[cfg(feature = "serde")]
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
