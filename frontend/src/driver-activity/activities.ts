import {
  BatteryLow,
  Camera,
  CircleHelp,
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
export function activityIcon(activity: string): LucideIcon {
  return icons[activity] ?? CircleHelp;
}
