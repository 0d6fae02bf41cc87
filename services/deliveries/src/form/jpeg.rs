//! The segments of a JPEG: whether the file is complete, what decoding it takes, and which segments are
//! metadata.

const END: u8 = 0xd9;
const SCAN: u8 = 0xda;

/// A marker segment.
struct Segment<'a> {
    marker: u8,
    /// The bytes since the segment before: image data if that was the header of a scan.
    before: &'a [u8],
    /// Marker, length and content.
    bytes: &'a [u8],
}

/// Returns the segments up to the end of the file, or up to the first broken one.
fn segments(bytes: &[u8]) -> impl Iterator<Item = Segment<'_>> {
    // In image data FF is written as FF 00, and restart markers do not end the data.
    let is_marker = |pair: &[u8]| pair[0] == 0xff && !matches!(pair[1], 0x00 | 0xd0..=0xd7 | 0xff);
    let mut at = 2;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..)?;
        let start = rest.windows(2).position(is_marker)?;
        let (before, rest) = rest.split_at(start);
        let marker = rest[1];
        // Skip the content of segments, because a thumbnail has an end marker, too.
        let length = match rest {
            _ if marker == END => 2,
            &[_, _, high, low, ..] => 2 + usize::from(u16::from_be_bytes([high, low])),
            _ => return None,
        };
        let bytes = rest.get(..length)?;
        at += start + length;
        Some(Segment { marker, before, bytes })
    })
}

pub struct Frame {
    /// Number of channels.
    pub channels: u8,
    /// Bytes of the coefficients that a decoder holds until it has read every scan: 0 if the first scan has
    /// all channels; `None` if they are unknown.
    pub coefficients: Option<u64>,
}

/// Describes the picture of a JPEG; `None` if the file's end is missing, because the decoder would invent the
/// rest.
pub fn frame(bytes: &[u8]) -> Option<Frame> {
    let (mut frame, mut scan, mut is_plain) = (None, None, true);
    for segment in segments(bytes) {
        if scan.is_none() {
            is_plain &= segment.before.iter().all(|byte| *byte == 0xff);
        }
        match segment.marker {
            END => {
                let frame: Segment<'_> = frame?;
                // A decoder may find other segments among stray bytes.
                let coefficients = if is_plain { coefficients(&frame, scan) } else { None };
                return Some(Frame { channels: *frame.bytes.get(9)?, coefficients });
            }
            SCAN => scan = scan.or(segment.bytes.get(4).copied()),
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => frame = frame.or(Some(segment)),
            _ => {}
        }
    }
    None
}

/// See [`Frame::coefficients`]. `scan` is the number of channels in the first scan.
fn coefficients(frame: &Segment<'_>, scan: Option<u8>) -> Option<u64> {
    // Marker, length, precision, height, width, channels.
    let &[_, _, _, _, _, y1, y0, x1, x0, channels, ref components @ ..] = frame.bytes else { return None };
    let is_sequential = matches!(frame.marker, 0xc0 | 0xc1);
    if is_sequential && scan == Some(channels) {
        return Some(0);
    }
    let factors = components.chunks_exact(3).map(|it| (u64::from(it[1] >> 4), u64::from(it[1] & 15)));
    let (across, down) = factors.clone().fold((1, 1), |most, it| (most.0.max(it.0), most.1.max(it.1)));
    let size = |high, low| u64::from(u16::from_be_bytes([high, low]));
    let units = size(x1, x0).div_ceil(8 * across) * size(y1, y0).div_ceil(8 * down);
    let blocks: u64 = factors.map(|(across, down)| across * down).sum();
    // A block has 64 coefficients of two bytes.
    Some(units * blocks * 128)
}

/// Returns the JPEG without what is not needed to show it: position, time and device, thumbnails, comments,
/// and bytes after its end.
pub fn without_metadata(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut kept = vec![0xff, 0xd8];
    let mut is_scan = false;
    for segment in segments(bytes) {
        if is_scan {
            kept.extend_from_slice(segment.before);
        }
        if is_shown(&segment) {
            kept.extend_from_slice(segment.bytes);
        }
        if segment.marker == END {
            return Some(kept);
        }
        is_scan = segment.marker == SCAN;
    }
    None
}

/// Returns whether the picture depends on this segment. Of the application's segments only those about color
/// do.
fn is_shown(segment: &Segment<'_>) -> bool {
    let content = segment.bytes.get(4..).unwrap_or_default();
    match segment.marker {
        // Without a thumbnail.
        0xe0 => content.starts_with(b"JFIF\0") && content.len() == 14,
        0xe2 => content.starts_with(b"ICC_PROFILE\0"),
        0xee => content.starts_with(b"Adobe"),
        0xe1 | 0xe3..=0xed | 0xef | 0xfe => false,
        _ => true,
    }
}
