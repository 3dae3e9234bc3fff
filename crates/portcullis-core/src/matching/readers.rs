//! Which controllers may read the annotations of an object, and whether an annotation therefore counts.

use super::controller::Controller;

/// Which controllers may read the annotations of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// Any controller, because it is not known which one serves the object.
    Any,
    /// This controller.
    Only(Controller),
    /// A controller that is not in the table.
    None,
}

/// What an annotation does to the findings about its object. The author of the object controls its annotations, so an annotation
/// that no controller reads must not make a check milder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// It makes a check milder, or separates an Ingress from others. It counts if the controller of the object is known to read it,
    /// and as long as the controller is not known.
    Relaxes,
    /// It adds or widens a claim, or is a fault itself. It counts if the controller of the object reads it or is not in the table, and
    /// as long as the controller is not known.
    Widens,
    /// It places an Ingress in a group, or its rules in an order, that only the controllers that read it have.
    Arranges,
}

impl Readers {
    /// Whether an annotation with this direction counts, which `controllers` read. If there are none, everyone reads it.
    pub fn count(self, direction: Direction, controllers: &[Controller]) -> bool {
        match self {
            _ if controllers.is_empty() => true,
            Self::Only(controller) => controllers.contains(&controller),
            Self::Any => direction != Direction::Arranges,
            Self::None => direction == Direction::Widens,
        }
    }

    /// The controller, if it is known.
    pub const fn known(self) -> Option<Controller> {
        match self {
            Self::Only(controller) => Some(controller),
            Self::Any | Self::None => None,
        }
    }
}

impl From<Option<Controller>> for Readers {
    /// The controller that a class specifies; `None` if it is not in the table.
    fn from(controller: Option<Controller>) -> Self {
        controller.map_or(Self::None, Self::Only)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_annotation_counts_by_its_direction() {
        use Direction::{Arranges, Relaxes, Widens};
        let (kong, other) = (Readers::Only(Controller::Kong), Readers::Only(Controller::Traefik));
        for (direction, counts) in [
            (Relaxes, [true, false, true, false]),
            (Widens, [true, false, true, true]),
            (Arranges, [true, false, false, false]),
        ] {
            let readers = [kong, other, Readers::Any, Readers::None];
            assert_eq!(readers.map(|readers| readers.count(direction, &[Controller::Kong])), counts, "{direction:?}");
            assert!(readers.iter().all(|readers| readers.count(direction, &[])), "{direction:?}: read by everyone");
        }
    }
}
