import { Clock3, type LucideIcon, MapPin, Navigation, WifiOff } from 'lucide-react';
import type { Tone } from '@/ui/tones';
import type { DriverState } from '../freshness';

interface StateLook {
  icon: LucideIcon;
  tone: Tone;
}

/** Always beside its word. */
export const stateLooks: Record<DriverState, StateLook> = {
  moving: { icon: Navigation, tone: 'ok' },
  stop: { icon: MapPin, tone: 'info' },
  stale: { icon: Clock3, tone: 'warn' },
  offline: { icon: WifiOff, tone: 'idle' },
};
