import { CircleAlert, Info, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { AnnouncementSeverity } from './queries';

/** From what may be known to what must be. */
export const SEVERITIES = ['info', 'warning', 'critical'] as const satisfies readonly AnnouncementSeverity[];

export const severityLooks: Record<AnnouncementSeverity, { icon: LucideIcon; classes: string }> = {
  info: { icon: Info, classes: 'text-info' },
  warning: { icon: TriangleAlert, classes: 'text-warn' },
  critical: { icon: CircleAlert, classes: 'text-bad' },
};
