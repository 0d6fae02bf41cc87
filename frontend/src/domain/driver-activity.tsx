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
import { type NameIn, useNameOf } from '@/i18n/texts';
import { Tag } from '@/ui/tag';

const icons = {
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
} satisfies Partial<Record<NameIn<'driver-activity:activities'>, LucideIcon>>;

type Activity = keyof typeof icons;

/** The server's names of driver activities. */
export const ACTIVITIES = Object.keys(icons) as readonly Activity[];

/** A newer app may report an activity that this release does not know. */
function activityIcon(activity: string): LucideIcon {
  const known = ACTIVITIES.find((own) => own === activity);
  return known ? icons[known] : CircleHelp;
}

const LATE_MS = 30 * 60_000;

/** Whether an entry was reported long after it occurred, because the device was offline or its clock is wrong. */
export function isLate({ occurredAt, receivedAt }: { occurredAt: string; receivedAt: string }) {
  return Math.abs(Date.parse(receivedAt) - Date.parse(occurredAt)) > LATE_MS;
}

/** A driver's activity as text with an icon; falls back to the server's name for it. */
export function ActivityLabel({ activity }: { activity: string }) {
  const nameOf = useNameOf();
  return (
    <span className="inline-flex min-w-0 items-center gap-2">
      {createElement(activityIcon(activity), {
        'aria-hidden': true,
        className: 'size-4 shrink-0 text-muted',
      })}
      <span className="truncate">
        {nameOf('driver-activity:activities', activity)}
      </span>
    </span>
  );
}

/** Marks an entry that was reported long after it occurred. */
export function LateMark({ log }: { log: Parameters<typeof isLate>[0] }) {
  const { t } = useTranslation('driver-activity');
  if (!isLate(log)) return null;
  return (
    <Tag tone="warn" icon={Clock}>
      {t('late')}
    </Tag>
  );
}
