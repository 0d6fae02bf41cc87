import { CircleCheck, KeyRound, Lock } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { WRITE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import { Button } from '@/ui/button';
import { Panel, PanelHead } from '@/ui/panel';
import { StatusChip } from '@/ui/status-chip';
import { resetPinAddress } from '../list-links';
import type { Driver } from '../queries';
import { OpenDeliveriesLink } from './open-deliveries-link';
import { StatusDialog } from './status-dialog';

/** Whether the driver may work, and how they come to a PIN. */
export function AccessPanel({ driver }: { driver: Driver }) {
  const { t } = useTranslation('drivers');
  const { hasRole } = useAuth();
  const titleId = useId();
  const [isAsking, setAsking] = useState(false);
  const { driverId, status, username } = driver;
  const isBlocked = status === 'blocked';
  return (
    <Panel aria-labelledby={titleId}>
      <PanelHead
        id={titleId}
        title={t('fields.status')}
        tools={<StatusChip kind="driver" status={status} />}
      />
      <div className="flex flex-col items-start gap-3 px-4 pb-4 text-sm">
        <p className="text-muted">{t(isBlocked ? 'access.blocked' : 'access.active')}</p>
        {isBlocked && (
          <p>
            <OpenDeliveriesLink driverId={driverId} />
          </p>
        )}
        {hasRole(WRITE_ROLES) && (
          <div className="flex flex-wrap gap-2">
            {isBlocked ? (
              <Button icon={CircleCheck} onClick={() => setAsking(true)}>
                {t('permit.verb')}
              </Button>
            ) : (
              <>
                <Button asChild icon={KeyRound}>
                  <Link to={resetPinAddress(username)}>{t('resetPin')}</Link>
                </Button>
                <Button variant="danger" icon={Lock} onClick={() => setAsking(true)}>
                  {t('block.verb')}
                </Button>
              </>
            )}
          </div>
        )}
      </div>
      {isAsking && <StatusDialog driver={driver} onClose={() => setAsking(false)} />}
    </Panel>
  );
}
