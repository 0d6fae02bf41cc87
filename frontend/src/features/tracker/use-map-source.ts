import { useAuth } from '@/auth/use-auth';
import type { MapSource } from '@/ui/map/map-style';

const NONE: MapSource = { styleUrl: '', tileUrl: '', attribution: '' };

/** What the operator wants under the map, as the server says when somebody signs in. */
export function useMapSource(): MapSource {
  return useAuth().currentUser?.map ?? NONE;
}
