//! The goods of demo data: groceries, in the units of a depot.

use super::chance::Chance;
use crate::domain::document::Item;

pub struct Good {
    description: &'static str,
    unit: &'static str,
    /// Weight of one unit.
    grams: i64,
    /// Maximum quantity of one line.
    most: i64,
}

const fn good(description: &'static str, unit: &'static str, grams: i64, most: i64) -> Good {
    Good { description, unit, grams, most }
}

pub const GOODS: &[Good] = &[
    good("Jasmine rice 25 kg", "pcs", 25_000, 40),
    good("Well-milled rice 50 kg", "pcs", 50_000, 20),
    good("Brown rice, loose", "kg", 1_000, 60),
    good("Glutinous rice 5 kg", "pcs", 5_000, 30),
    good("Refined sugar 1 kg", "pcs", 1_000, 120),
    good("Muscovado sugar, loose", "kg", 1_000, 25),
    good("Iodised salt 500 g", "pcs", 500, 90),
    good("All-purpose flour 25 kg", "pcs", 25_000, 12),
    good("Bread flour 1 kg", "pcs", 1_000, 48),
    good("Coconut oil 1 L", "pcs", 930, 60),
    good("Palm oil 17 kg tin", "pcs", 17_000, 8),
    good("Cane vinegar 1 L", "pcs", 1_050, 72),
    good("Soy sauce 1 L", "pcs", 1_150, 72),
    good("Fish sauce 750 ml", "pcs", 850, 48),
    good("Banana ketchup 550 g", "pcs", 550, 60),
    good("Oyster sauce 405 g", "pcs", 405, 36),
    good("Sardines in tomato sauce 155 g, 100 tins", "box", 17_500, 15),
    good("Tuna flakes in oil 180 g, 48 tins", "box", 9_800, 15),
    good("Corned beef 150 g, 48 tins", "box", 8_200, 12),
    good("Luncheon meat 340 g", "pcs", 340, 48),
    good("Evaporated milk 370 ml, 48 tins", "box", 19_200, 10),
    good("Condensed milk 300 ml, 48 tins", "box", 18_700, 10),
    good("Powdered milk 700 g", "pcs", 700, 40),
    good("Instant noodles, chicken, 72 packs", "box", 4_600, 30),
    good("Instant noodles, beef, 72 packs", "box", 4_600, 30),
    good("Pancit canton 60 g, 72 packs", "box", 4_800, 25),
    good("Rice vermicelli 454 g", "pkg", 454, 60),
    good("Spaghetti 1 kg", "pkg", 1_000, 48),
    good("Elbow macaroni 1 kg", "pkg", 1_000, 48),
    good("Sotanghon 250 g", "pkg", 250, 60),
    good("Instant coffee 3-in-1, 30 sticks", "pkg", 600, 60),
    good("Ground coffee 500 g", "pkg", 500, 24),
    good("Cocoa tablea 250 g", "pkg", 250, 24),
    good("Chocolate malt drink 1 kg", "pkg", 1_000, 24),
    good("Purified water 5 gal", "pcs", 19_500, 60),
    good("Bottled water 500 ml, 24 bottles", "box", 12_400, 40),
    good("Calamansi juice 1 L", "pcs", 1_040, 48),
    good("Cola 1.5 L, 12 bottles", "box", 18_900, 30),
    good("Soy drink 1 L", "l", 1_030, 60),
    good("Fresh carabao milk", "l", 1_030, 40),
    good("Whole chicken, dressed", "kg", 1_000, 80),
    good("Chicken leg quarters", "kg", 1_000, 60),
    good("Pork belly", "kg", 1_000, 45),
    good("Pork kasim", "kg", 1_000, 60),
    good("Ground beef, frozen", "lb", 454, 40),
    good("Bangus, boneless", "kg", 1_000, 30),
    good("Tilapia, iced", "kg", 1_000, 40),
    good("Galunggong, iced", "kg", 1_000, 50),
    good("Squid, frozen", "kg", 1_000, 20),
    good("Longganisa 500 g", "pkg", 500, 40),
    good("Tocino 500 g", "pkg", 500, 40),
    good("Hotdog, jumbo 1 kg", "pkg", 1_000, 40),
    good("Eggs, medium, tray of 30", "pcs", 1_750, 40),
    good("Salted eggs, box of 50", "box", 3_200, 10),
    good("Red onions", "kg", 1_000, 50),
    good("Garlic, native", "kg", 1_000, 15),
    good("Ginger", "kg", 1_000, 10),
    good("Tomatoes", "kg", 1_000, 40),
    good("Potatoes", "kg", 1_000, 50),
    good("Cabbage", "kg", 1_000, 60),
    good("Carrots", "kg", 1_000, 40),
    good("Kangkong, bundle", "pcs", 300, 80),
    good("Bananas, lakatan", "kg", 1_000, 60),
    good("Mangoes, carabao", "kg", 1_000, 40),
    good("Calamansi", "kg", 1_000, 20),
    good("Pandesal, frozen, 50 pieces", "pkg", 1_500, 25),
    good("Loaf bread 600 g", "pcs", 600, 40),
    good("Soda crackers, 10 packs", "pkg", 250, 60),
    good("Shrimp crackers, 24 packs", "box", 1_100, 20),
    good("Laundry soap bar 380 g, 30 bars", "box", 11_600, 12),
    good("Detergent powder 1 kg", "pkg", 1_000, 60),
    good("Fabric conditioner 900 ml", "pcs", 950, 36),
    good("Dishwashing liquid 500 ml", "pcs", 530, 48),
    good("Bleach 1 L", "pcs", 1_080, 48),
    good("Bath soap 135 g, 72 bars", "box", 10_200, 10),
    good("Shampoo sachets, 144 pieces", "box", 1_900, 20),
    good("Toothpaste 150 ml", "pcs", 190, 72),
    good("Toilet tissue, 48 rolls", "box", 5_800, 25),
    good("Charcoal 5 kg", "pcs", 5_000, 30),
    good("Mixed groceries for display", "pallet", 420_000, 3),
];

/// Draws the items of one delivery: three on average, no article twice.
pub fn items(chance: &mut Chance) -> Vec<Item> {
    let count = *chance.pick(&[1_usize, 2, 2, 3, 3, 3, 3, 4, 4, 5]);
    // Take articles that are not adjacent in `GOODS`, so that a delivery does not read like the catalogue.
    let first = chance.next() as usize;
    let stride = 7 + 2 * (chance.next() as usize % 5);
    (0..count).map(|line| item(chance, line + 1, first.wrapping_add(line * stride) % GOODS.len())).collect()
}

fn item(chance: &mut Chance, number: usize, index: usize) -> Item {
    let good = &GOODS[index];
    let quantity = match good.unit {
        // Goods that are weighed or poured are precise to the gram.
        "kg" | "lb" | "l" => chance.between(500, good.most * 1_000),
        _ => chance.between(1, good.most) * 1_000,
    };
    Item {
        item_number: number.to_string(),
        sku: Some(format!("GRO-{}", 1_001 + index)),
        description: Some(good.description.to_owned()),
        unit: Some(good.unit.to_owned()),
        quantity,
        weight_grams: Some(quantity * good.grams / 1_000),
        // A number from the range that is reserved for use within stores.
        barcode: chance.percent(60).then(|| barcode(index)),
    }
}

/// Returns an EAN-13 with its check digit.
fn barcode(index: usize) -> String {
    let digits = format!("2000000{:05}", 1_001 + index);
    let sum: u32 = digits
        .bytes()
        .enumerate()
        .map(|(place, digit)| u32::from(digit - b'0') * if place % 2 == 0 { 1 } else { 3 })
        .sum();
    format!("{digits}{}", (10 - sum % 10) % 10)
}
