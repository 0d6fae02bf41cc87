import {
  BatteryLow,
  Camera,
  CircleHelp,
  Clock,
  CloudUpload,
  Eye,
  KeyRound,
  Lock,
  LockOpen,
  LogIn,
  LogOut,
  type LucideIcon,
  MapPin,
  MapPinCheck,
  MapPinOff,
  Navigation,
  PackageCheck,
  PackageMinus,
  PackagePlus,
  ScanBarcode,
  ShieldX,
  Signature,
  Smartphone,
} from 'lucide-react';
import { createElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Tag } from '@/ui/tag';

const icons: Record<string, LucideIcon> = {
  login: LogIn,
  logout: LogOut,
  login_failed: ShieldX,
  blocked: Lock,
  unblocked: LockOpen,
  password_reset: KeyRound,
  assigned: PackagePlus,
  unassigned: PackageMinus,
  opened_delivery: Eye,
  arrived: MapPinCheck,
  departed: Navigation,
  scan: ScanBarcode,
  signature_captured: Signature,
  photo_captured: Camera,
  outcome_submitted: PackageCheck,
  sync_late: CloudUpload,
  location_off: MapPinOff,
  location_on: MapPin,
  low_battery: BatteryLow,
  app_version: Smartphone,
};

/** What a driver log may tell, in the words of the server. */
export const ACTIVITIES: readonly string[] = Object.keys(icons);

/** An app newer than this page may tell of what it has no picture for. */
function activityIcon(activity: string): LucideIcon {
  return icons[activity] ?? CircleHelp;
}

const LATE_MS = 30 * 60_000;

/** It was told long after it happened: the device had no connection, or its clock is wrong. */
export function isLate({ occurredAt, receivedAt }: { occurredAt: string; receivedAt: string }) {
  return Math.abs(Date.parse(receivedAt) - Date.parse(occurredAt)) > LATE_MS;
}

/** What a driver did, in words with a picture; the word of the server where there is no other. */
export function ActivityLabel({ activity }: { activity: string }) {
  const { t } = useTranslation('driver-activity');
  return (
    <span className="inline-flex min-w-0 items-center gap-2">
      {createElement(activityIcon(activity), {
        'aria-hidden': true,
        className: 'size-4 shrink-0 text-muted',
      })}
      <span className="truncate">
        {t(`activities.${activity}`, { defaultValue: activity })}
      </span>
    </span>
  );
}

/** Marks an entry that was told long after it happened. */
export function LateMark({ log }: { log: Parameters<typeof isLate>[0] }) {
  const { t } = useTranslation('driver-activity');
  if (!isLate(log)) return null;
  return (
    <Tag tone="warn" icon={Clock}>
      {t('late')}
    </Tag>
  );
}
