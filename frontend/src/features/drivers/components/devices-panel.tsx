import { Smartphone, Unlink } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { WRITE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import { Button } from '@/ui/button';
import { Panel, PanelHead } from '@/ui/panel';
import type { Driver } from '../queries';
import { UnpairDialog } from './unpair-dialog';

/** The devices whose positions are those of the driver. */
export function DevicesPanel({ driver }: { driver: Driver }) {
  const { t } = useTranslation('drivers');
  const { hasRole } = useAuth();
  const titleId = useId();
  const [unpairing, setUnpairing] = useState<string>();
  const { deviceUniqueIds: devices } = driver;
  return (
    <Panel aria-labelledby={titleId}>
      <PanelHead id={titleId} line title={t('devices.title')} />
      {devices.length === 0 ? (
        <p className="px-4 py-6 text-center text-sm text-muted">{t('devices.none')}</p>
      ) : (
        <ul aria-labelledby={titleId} className="divide-y divide-line">
          {devices.map((uniqueId) => (
            <li key={uniqueId} className="flex min-h-11 items-center gap-3 px-4 py-2 text-sm">
              <Smartphone aria-hidden className="size-4 shrink-0 text-muted" />
              <span className="min-w-0 flex-1 tabular-nums wrap-anywhere">{uniqueId}</span>
              {hasRole(WRITE_ROLES) && (
                <Button
                  size={28}
                  icon={Unlink}
                  aria-label={t('unpair.of', { uniqueId })}
                  onClick={() => setUnpairing(uniqueId)}
                >
                  {t('unpair.verb')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {unpairing !== undefined && (
        <UnpairDialog
          driver={driver}
          uniqueId={unpairing}
          onClose={() => setUnpairing(undefined)}
        />
      )}
    </Panel>
  );
}
