use super::*;

/// Options of baking a cake.
#[allow(unreachable_pub, reason = "what the macro makes is public")]
mod cake {
    crate::call_options! {
        /// Options of baking.
        #[derive(Clone, Debug, PartialEq)]
        pub struct BakeOptions;
        rows {
            /// Degrees.
            heat: u32 = 180, honoured;
            /// Turns round in the oven.
            turns_round as "isTurning": bool = true, accepted;
            /// Ends by itself.
            deadline: Option<u64> = None, refused;
        }
        objects {
            /// What to shout at.
            listener: "Listener";
        }
    }
}
use cake::BakeOptions;

#[test]
fn a_row_is_a_field_with_a_default_and_a_setter() {
    let options = BakeOptions::default().heat(200);
    assert_eq!(options, BakeOptions { heat: 200, turns_round: true, deadline: None });
}

#[test]
fn what_is_set_and_not_honoured_is_found() {
    let plain = BakeOptions::default().heat(1);
    assert!(plain.is_plain() && plain.unhonoured().is_empty());
    let options = plain.turns_round(false).deadline(Some(3));
    assert!(!options.is_plain());
    let names: Vec<_> = options.unhonoured().iter().map(|info| (info.name, info.support)).collect();
    assert_eq!(names, [("isTurning", Support::Accepted), ("deadline", Support::Refused)]);
}

#[test]
fn all_there_is_to_know_comes_from_the_rows() {
    let [heat, turning, deadline, listener] = BakeOptions::infos() else { panic!() };
    assert_eq!((heat.name, heat.doc.trim(), heat.type_name), ("heat", "Degrees.", "u32"));
    assert_eq!((heat.default, heat.support.word()), ("180", "honoured"));
    assert_eq!((turning.default, deadline.type_name), ("true", "Option<u64>"));
    assert_eq!((listener.name, listener.support.word()), ("listener", "refused"));
    assert_eq!(BakeOptions::NAME, "BakeOptions");
}
