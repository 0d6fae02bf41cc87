// Creates a tile archive (PMTiles, version 3) with one tile of streets around Manila. It is created here, so
// that its content is known, nothing is downloaded, and the repository contains nobody else's map data.

const Z = 10;
const EXTENT = 4096;

type Position = [lng: number, lat: number];

interface Feature {
  type: 1 | 2 | 3;
  properties: Record<string, string>;
  line: Position[];
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return [...bytes, rest];
}

/** Encodes a length-delimited field of a protobuf message. */
const field = (number: number, bytes: number[]) => [...varint(number * 8 + 2), ...varint(bytes.length), ...bytes];
const amount = (number: number, value: number) => [...varint(number * 8), ...varint(value)];
const utf8 = (text: string) => [...new TextEncoder().encode(text)];
const zigzag = (value: number) => (value < 0 ? -2 * value - 1 : 2 * value);

/** Converts a position to tile coordinates on the whole map at the zoom of the tile. */
function inTiles([lng, lat]: Position): [x: number, y: number] {
  const radians = (lat * Math.PI) / 180;
  const y = (1 - Math.log(Math.tan(radians) + 1 / Math.cos(radians)) / Math.PI) / 2;
  return [((lng + 180) / 360) * 2 ** Z, y * 2 ** Z];
}

const MANILA: Position = [121.02, 14.559];
const [tileX, tileY] = inTiles(MANILA).map(Math.floor) as [number, number];

function geometry({ type, line }: Feature): number[] {
  let at: Position = [0, 0];
  const steps = line.map((position): number[] => {
    const [x, y] = inTiles(position);
    const to: Position = [Math.round((x - tileX) * EXTENT), Math.round((y - tileY) * EXTENT)];
    const step = [zigzag(to[0] - at[0]), zigzag(to[1] - at[1])];
    at = to;
    return step;
  });
  const [first, ...others] = steps;
  const lineTo = others.length > 0 ? [others.length * 8 + 2, ...others.flat()] : [];
  return [9, ...first!, ...lineTo, ...(type === 3 ? [15] : [])].flatMap(varint);
}

function layer(name: string, features: Feature[]): number[] {
  const keys = [...new Set(features.flatMap(({ properties }) => Object.keys(properties)))];
  const values = [...new Set(features.flatMap(({ properties }) => Object.values(properties)))];
  const encoded = features.flatMap((feature) => {
    const tags = Object.entries(feature.properties).flatMap(([key, value]) => [keys.indexOf(key), values.indexOf(value)]);
    return field(2, [...field(2, tags.flatMap(varint)), ...amount(3, feature.type), ...field(4, geometry(feature))]);
  });
  return field(3, [
    ...amount(15, 2),
    ...field(1, utf8(name)),
    ...encoded,
    ...keys.flatMap((key) => field(3, utf8(key))),
    ...values.flatMap((value) => field(4, field(1, utf8(value)))),
    ...amount(5, EXTENT),
  ]);
}

/** Returns the number of the tile along the Hilbert curve, by which the archive is sorted. */
function tileNumber(): number {
  let number = (4 ** Z - 1) / 3;
  let [x, y] = [tileX, tileY];
  for (let side = 2 ** (Z - 1); side > 0; side /= 2) {
    const [right, lower] = [x & side ? 1 : 0, y & side ? 1 : 0];
    number += side * side * ((3 * right) ^ lower);
    if (lower === 0) {
      if (right === 1) [x, y] = [side - 1 - (x & (side - 1)), side - 1 - (y & (side - 1))];
      [x, y] = [y, x];
    }
    x &= side - 1;
    y &= side - 1;
  }
  return number;
}

function streets(): Feature[] {
  const road = (kind: string, name: string, line: Position[]): Feature => ({ type: 2, properties: { kind, name }, line });
  const minor = Array.from({ length: 24 }, (_, index) => [
    road('minor_road', `${index + 1}th Street`, [[120.96, 14.5 + index * 0.005], [121.09, 14.505 + index * 0.005]]),
    road('minor_road', `Avenue ${index + 1}`, [[120.965 + index * 0.005, 14.49], [120.96 + index * 0.005, 14.63]]),
  ]).flat();
  return [
    ...minor,
    road('major_road', 'Ayala Avenue', [[120.99, 14.57], [121.02, 14.559], [121.05, 14.53]]),
    road('highway', 'EDSA', [[120.98, 14.655], [121.04, 14.6], [121.05, 14.56], [121.0, 14.535]]),
  ];
}

/** Returns the whole file, and the offset at which the tiles begin. */
export function tileArchive(): { file: Buffer; tilesFrom: number } {
  const box: Position[] = [[120.9, 14.4], [121.13, 14.4], [121.13, 14.7], [120.9, 14.7]];
  const park: Position[] = [[121.03, 14.545], [121.03, 14.55], [121.037, 14.55], [121.037, 14.545]];
  const bay: Position[] = [[120.9, 14.45], [120.98, 14.5], [120.965, 14.62], [120.9, 14.62]];
  const tile = [
    ...layer('earth', [{ type: 3, properties: { kind: 'earth' }, line: box }]),
    ...layer('landuse', [{ type: 3, properties: { kind: 'park' }, line: park }]),
    ...layer('water', [{ type: 3, properties: { kind: 'ocean' }, line: bay }]),
    ...layer('roads', streets()),
    ...layer('places', [{ type: 1, properties: { kind: 'locality', name: 'Makati from the file' }, line: [MANILA] }]),
  ];
  const directory = [1, tileNumber(), 1, tile.length, 1].flatMap(varint);
  const metadata = utf8(JSON.stringify({ attribution: 'Streets of the test' }));
  const head = Buffer.alloc(127);
  head.write('PMTiles');
  head.writeUInt8(3, 7);
  const tilesFrom = head.length + directory.length + metadata.length;
  const numbers = [
    head.length, directory.length,
    head.length + directory.length, metadata.length,
    tilesFrom, 0,
    tilesFrom, tile.length,
    1, 1, 1,
  ];
  for (const [index, value] of numbers.entries()) head.writeBigUInt64LE(BigInt(value), 8 + 8 * index);
  // The archive is sorted, has nothing compressed, contains vector tiles, and has these zoom levels.
  for (const [index, value] of [1, 1, 1, 1, Z, Z].entries()) head.writeUInt8(value, 96 + index);
  for (const [index, value] of [120.9, 14.4, 121.2, 14.8].entries()) head.writeInt32LE(value * 1e7, 102 + 4 * index);
  head.writeUInt8(Z, 118);
  for (const [index, value] of MANILA.entries()) head.writeInt32LE(Math.round(value * 1e7), 119 + 4 * index);
  return { file: Buffer.concat([head, Buffer.from([...directory, ...metadata, ...tile])]), tilesFrom };
}
