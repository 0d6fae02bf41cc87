import { addProtocol } from 'maplibre-gl';
import { PMTiles, Protocol, TileType } from 'pmtiles';

/** Metadata of a tile archive. */
export interface TileArchive {
  /** Source URL for a style. */
  url: string;
  kind: 'pictures' | 'streets';
}

const protocol = new Protocol({ metadata: true });
addProtocol('pmtiles', protocol.tile);

/** Reads the header of a PMTiles archive; the map then requests the tiles it shows. */
export async function openTileArchive(address: string): Promise<TileArchive> {
  const archive = protocol.get(address) ?? new PMTiles(address);
  protocol.add(archive);
  const { tileType } = await archive.getHeader();
  return { url: `pmtiles://${address}`, kind: tileType === TileType.Mvt ? 'streets' : 'pictures' };
}
