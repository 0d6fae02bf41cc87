import {
  CircleCheck,
  Ellipsis,
  Eye,
  KeyRound,
  Lock,
  MapPin,
  Package,
  Pencil,
} from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { WRITE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import { routes } from '@/routing/routes';
import { IconButton } from '@/ui/button';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from '@/ui/dropdown-menu';
import { deliveriesAddress, resetPinAddress } from '../list-links';
import type { DriverRow } from '../queries';

interface DriverMenuProps {
  driver: DriverRow;
  onStatus: (driver: DriverRow) => void;
}

/** What can be done with a driver where they stand in the list. */
export function DriverMenu({ driver, onStatus }: DriverMenuProps) {
  const { t } = useTranslation('drivers');
  const { hasRole } = useAuth();
  const navigate = useNavigate();
  const { driverId, name, status, username } = driver;
  const isBlocked = status === 'blocked';
  const go = (address: string) => () => void navigate(address);
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <IconButton icon={Ellipsis} size={28} label={t('menu.open', { name })} />
      </DropdownMenuTrigger>
      <DropdownMenuContent>
        <DropdownMenuItem icon={Eye} onSelect={go(routes.viewDriver({ driverId }))}>
          {t('menu.view')}
        </DropdownMenuItem>
        <DropdownMenuItem icon={MapPin} onSelect={go(routes.driverTracker({ driverId }))}>
          {t('menu.track')}
        </DropdownMenuItem>
        <DropdownMenuItem icon={Package} onSelect={go(deliveriesAddress(driverId, 'open'))}>
          {t('menu.deliveries')}
        </DropdownMenuItem>
        {hasRole(WRITE_ROLES) && (
          <>
            <DropdownMenuSeparator />
            <DropdownMenuItem icon={Pencil} onSelect={go(routes.editDriver({ driverId }))}>
              {t('edit.verb')}
            </DropdownMenuItem>
            <DropdownMenuItem
              icon={KeyRound}
              disabled={isBlocked}
              onSelect={go(resetPinAddress(username))}
            >
              {t('resetPin')}
            </DropdownMenuItem>
            <DropdownMenuItem
              danger={!isBlocked}
              icon={isBlocked ? CircleCheck : Lock}
              onSelect={() => onStatus(driver)}
            >
              {t(isBlocked ? 'permit.verb' : 'block.verb')}
            </DropdownMenuItem>
          </>
        )}
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
