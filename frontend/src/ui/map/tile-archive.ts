import { addProtocol } from 'maplibre-gl';
import { PMTiles, Protocol, TileType } from 'pmtiles';

/** What an archive turned out to hold. */
export interface TileArchive {
  /** As a source of a style takes it. */
  url: string;
  kind: 'pictures' | 'streets';
}

const protocol = new Protocol({ metadata: true });
addProtocol('pmtiles', protocol.tile);

/** Reads the head of a file of tiles (PMTiles); the map then asks for the parts that it shows. */
export async function openTileArchive(address: string): Promise<TileArchive> {
  const archive = protocol.get(address) ?? new PMTiles(address);
  protocol.add(archive);
  const { tileType } = await archive.getHeader();
  return { url: `pmtiles://${address}`, kind: tileType === TileType.Mvt ? 'streets' : 'pictures' };
}
