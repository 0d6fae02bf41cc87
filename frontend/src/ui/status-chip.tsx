import {
  Ban,
  Circle,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CircleSlash,
  CircleX,
  Clock,
  Columns3,
  Contrast,
  KeyRound,
  ListChecks,
  LoaderCircle,
  Lock,
  type LucideIcon,
  Mail,
  TriangleAlert,
  Undo2,
  Upload,
  Wifi,
  WifiOff,
} from 'lucide-react';
import { useText } from '@/i18n/texts';
import { cn } from './cn';
import { softTone, type Tone } from './tag';

export type DeliveryStatus =
  | 'Pending'
  | 'Complete_No_Variance'
  | 'Complete_With_Variance'
  | 'Undelivered'
  | 'Rejected';
export type ShipmentStatus = 'Pending' | 'Partial' | 'Completed';
export type SourceStatus = 'Active' | 'Disabled';
export type UploadStatus =
  | 'uploaded'
  | 'parsing'
  | 'importing'
  | 'imported'
  | 'imported_with_errors'
  | 'failed'
  | 'checking'
  | 'validated'
  | 'undoing'
  | 'undone'
  | 'partly_undone'
  | 'needs_mapping'
  | 'correcting';
export type DriverStatus = 'active' | 'blocked';
/** Depends on the age of a driver's last position. */
export type OnlineState = 'online' | 'stale' | 'offline';
export type AccountStatus = 'active' | 'disabled' | 'invited';

/** Depends on the announcement's time window and on whether it is switched off. `off` overrides the window. */
export type AnnouncementState = 'active' | 'scheduled' | 'ended' | 'off';
export type ReportSettingState = 'active' | 'off';
export type DeadLetterState = 'queued' | 'scheduled_retry' | 'failed' | 'success' | 'discarded';
export type JobState = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';
export type EndpointState = 'active' | 'paused' | 'off';

type Status =
  | { kind: 'delivery'; status: DeliveryStatus }
  | { kind: 'shipment'; status: ShipmentStatus }
  | { kind: 'source'; status: SourceStatus }
  | { kind: 'upload'; status: UploadStatus }
  | { kind: 'user'; status: AccountStatus }
  | { kind: 'driver'; status: DriverStatus }
  | { kind: 'online'; status: OnlineState }
  | { kind: 'driverAccount'; status: AccountStatus }
  | { kind: 'announcement'; status: AnnouncementState }
  | { kind: 'reportSetting'; status: ReportSettingState }
  | { kind: 'deadLetter'; status: DeadLetterState }
  | { kind: 'job'; status: JobState }
  | { kind: 'endpoint'; status: EndpointState };

export interface StatusLook {
  icon: LucideIcon;
  tone: Tone;
  spins?: boolean;
}

const delivery: Record<DeliveryStatus, StatusLook> = {
  Pending: { icon: CircleDashed, tone: 'idle' },
  Complete_No_Variance: { icon: CircleCheck, tone: 'ok' },
  Complete_With_Variance: { icon: TriangleAlert, tone: 'warn' },
  Undelivered: { icon: CircleSlash, tone: 'info' },
  Rejected: { icon: CircleX, tone: 'bad' },
};

const shipment: Record<ShipmentStatus, StatusLook> = {
  Pending: { icon: Circle, tone: 'idle' },
  Partial: { icon: Contrast, tone: 'warn' },
  Completed: { icon: CircleCheck, tone: 'ok' },
};

const source: Record<SourceStatus, StatusLook> = {
  Active: { icon: CircleCheck, tone: 'ok' },
  Disabled: { icon: Ban, tone: 'idle' },
};

const upload: Record<UploadStatus, StatusLook> = {
  uploaded: { icon: Upload, tone: 'idle' },
  parsing: { icon: LoaderCircle, tone: 'info', spins: true },
  importing: { icon: LoaderCircle, tone: 'info', spins: true },
  imported: { icon: CircleCheck, tone: 'ok' },
  imported_with_errors: { icon: TriangleAlert, tone: 'warn' },
  failed: { icon: CircleX, tone: 'bad' },
  checking: { icon: LoaderCircle, tone: 'info', spins: true },
  validated: { icon: ListChecks, tone: 'info' },
  undoing: { icon: LoaderCircle, tone: 'info', spins: true },
  undone: { icon: Undo2, tone: 'idle' },
  partly_undone: { icon: Undo2, tone: 'warn' },
  needs_mapping: { icon: Columns3, tone: 'warn' },
  correcting: { icon: LoaderCircle, tone: 'info', spins: true },
};

const user: Record<AccountStatus, StatusLook> = {
  active: { icon: CircleCheck, tone: 'ok' },
  disabled: { icon: CircleSlash, tone: 'idle' },
  invited: { icon: Mail, tone: 'info' },
};

const driver: Record<DriverStatus, StatusLook> = {
  active: { icon: CircleCheck, tone: 'ok' },
  blocked: { icon: Lock, tone: 'bad' },
};

const online: Record<OnlineState, StatusLook> = {
  online: { icon: Wifi, tone: 'ok' },
  stale: { icon: Clock, tone: 'warn' },
  offline: { icon: WifiOff, tone: 'idle' },
};

const driverAccount: Record<AccountStatus, StatusLook> = {
  active: { icon: CircleCheck, tone: 'ok' },
  disabled: { icon: Lock, tone: 'bad' },
  invited: { icon: KeyRound, tone: 'info' },
};

const announcement: Record<AnnouncementState, StatusLook> = {
  active: { icon: CircleDot, tone: 'ok' },
  scheduled: { icon: Clock, tone: 'info' },
  ended: { icon: CircleSlash, tone: 'idle' },
  off: { icon: Ban, tone: 'idle' },
};

const reportSetting: Record<ReportSettingState, StatusLook> = {
  active: { icon: CircleCheck, tone: 'ok' },
  off: { icon: Ban, tone: 'idle' },
};

const deadLetter: Record<DeadLetterState, StatusLook> = {
  queued: { icon: CircleDashed, tone: 'idle' },
  scheduled_retry: { icon: Clock, tone: 'warn' },
  failed: { icon: CircleX, tone: 'bad' },
  success: { icon: CircleCheck, tone: 'ok' },
  discarded: { icon: Ban, tone: 'idle' },
};

const job: Record<JobState, StatusLook> = {
  waiting: { icon: Clock, tone: 'idle' },
  running: { icon: LoaderCircle, tone: 'info', spins: true },
  done: { icon: CircleCheck, tone: 'ok' },
  failed: { icon: CircleX, tone: 'bad' },
  cancelled: { icon: CircleSlash, tone: 'idle' },
};

const endpoint: Record<EndpointState, StatusLook> = {
  active: { icon: CircleCheck, tone: 'ok' },
  paused: { icon: TriangleAlert, tone: 'warn' },
  off: { icon: Ban, tone: 'idle' },
};

export function statusLook(value: Status): StatusLook {
  switch (value.kind) {
    case 'delivery':
      return delivery[value.status];
    case 'shipment':
      return shipment[value.status];
    case 'source':
      return source[value.status];
    case 'upload':
      return upload[value.status];
    case 'user':
      return user[value.status];
    case 'driver':
      return driver[value.status];
    case 'online':
      return online[value.status];
    case 'driverAccount':
      return driverAccount[value.status];
    case 'announcement':
      return announcement[value.status];
    case 'reportSetting':
      return reportSetting[value.status];
    case 'deadLetter':
      return deadLetter[value.status];
    case 'job':
      return job[value.status];
    case 'endpoint':
      return endpoint[value.status];
  }
}

type KeyOf<One> = One extends { kind: infer Kind extends string; status: infer Its extends string }
  ? `common:status.${Kind}.${Its}`
  : never;

function statusKey({ kind, status }: Status): KeyOf<Status> {
  // TypeScript does not infer that kind and status belong together.
  return `common:status.${kind}.${status}` as KeyOf<Status>;
}

export type StatusChipProps = Status & { size?: 20 | 24; className?: string };

export function StatusChip(props: StatusChipProps) {
  const textOf = useText();
  const { size = 20, className } = props;
  const { icon: Icon, tone, spins } = statusLook(props);
  return (
    <span
      className={cn(
        'inline-flex shrink-0 items-center rounded-full font-medium whitespace-nowrap',
        size === 20 ? 'h-5 gap-1 px-1.5 pe-2 text-xs' : 'h-6 gap-1.5 px-2 pe-2.5 text-sm',
        softTone[tone],
        className,
      )}
    >
      <Icon
        aria-hidden
        className={cn(size === 20 ? 'size-3' : 'size-3.5', 'shrink-0', spins && 'animate-spin')}
      />
      {textOf(statusKey(props))}
    </span>
  );
}
