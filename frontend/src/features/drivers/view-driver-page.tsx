import { CircleCheck, KeyRound, Lock, MapPin, Pencil, Smartphone, Unlink } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { useMutation } from 'urql';
import { WRITE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import { errorText, normalizeError } from '@/data/errors';
import { ByAt } from '@/domain/by-at';
import { formatDay } from '@/lib/dates';
import { RecordLink } from '@/list/record-link';
import { routes, useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/dialog';
import { DateTime } from '@/ui/date-time';
import { EmailText, Fact, Facts, Panel, PanelHead } from '@/ui/panel';
import { PhoneText } from '@/ui/phone-text';
import { Note } from '@/ui/note';
import { StatusChip } from '@/ui/status-chip';
import { toast } from '@/ui/toast';
import { ActivityPanel, PositionPanel, TodayPanel } from './day-panels';
import {
  DriverState,
  isNewlyMade,
  OpenDeliveriesLink,
  POLL_INTERVAL_MS,
  resetPinAddress,
  StatusDialog,
  useDriver,
} from './driver';
import { type Driver, unpairDeviceMutation } from './queries';

export default function ViewDriverPage() {
  const { t } = useTranslation('drivers');
  const { hasRole } = useAuth();
  const { state } = useLocation();
  const { driverId } = useRouteParams('viewDriver');
  const result = useDriver(driverId, POLL_INTERVAL_MS);
  return (
    <PageFrame>
      <DriverState driverId={driverId} result={result}>
        {(driver) => (
          <>
            <div className="mb-4 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
              <h2 dir="auto" className="text-xl font-semibold wrap-anywhere">{driver.name}</h2>
              <span className="text-sm text-muted tabular-nums">{driver.driverId}</span>
              <StatusChip kind="driver" status={driver.status} size={24} />
              <div className="ms-auto flex gap-2 max-md:ms-0">
                <Button asChild icon={MapPin}>
                  <Link to={routes.driverTracker({ driverId: driver.driverId })}>
                    {t('menu.track')}
                  </Link>
                </Button>
                {hasRole(WRITE_ROLES) && (
                  <Button asChild icon={Pencil}>
                    <RecordLink to={routes.editDriver({ driverId: driver.driverId })}>
                      {t('edit.verb')}
                    </RecordLink>
                  </Button>
                )}
              </div>
            </div>
            {isNewlyMade(state) && <PinNote username={driver.username} />}
            {/* Dialogs must not carry over to another driver. */}
            <div
              key={driver.driverId}
              className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_340px] xl:grid-cols-[minmax(0,1fr)_372px]"
            >
              <div className="flex min-w-0 flex-col gap-4">
                <DriverFacts driver={driver} />
                <TodayPanel driverId={driver.driverId} />
                <ActivityPanel driver={driver} />
              </div>
              <div className="flex min-w-0 flex-col gap-4">
                <AccessPanel driver={driver} />
                <PositionPanel driver={driver} />
                <DevicesPanel driver={driver} />
              </div>
            </div>
          </>
        )}
      </DriverState>
    </PageFrame>
  );
}

/** Access of a driver and ways to set a PIN. */
function AccessPanel({ driver }: { driver: Driver }) {
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

/** Devices paired with the driver. */
function DevicesPanel({ driver }: { driver: Driver }) {
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

interface UnpairDialogProps {
  driver: Pick<Driver, 'driverId' | 'name'>;
  uniqueId: string;
  onClose: () => void;
}

/** Unpairs a device from its driver. */
function UnpairDialog({ driver, uniqueId, onClose }: UnpairDialogProps) {
  const { t } = useTranslation('drivers');
  const [, execute] = useMutation(unpairDeviceMutation);
  const { driverId, name } = driver;

  async function unpair(): Promise<string | undefined> {
    const { error } = await execute({ input: { uniqueId, driverId } });
    if (error) return errorText(normalizeError(error));
    toast.success(t('unpair.done', { uniqueId }));
    return undefined;
  }

  return (
    <ConfirmDialog
      danger
      title={t('unpair.question', { uniqueId, name })}
      text={t('unpair.text')}
      confirm={t('unpair.confirm')}
      busy={t('unpair.busy')}
      onConfirm={unpair}
      onClose={onClose}
    />
  );
}

function DriverFacts({ driver }: { driver: Driver }) {
  const { t } = useTranslation(['drivers', 'common']);
  const none = t('none', { ns: 'common' });
  return (
    <Panel aria-label={t('view.facts')} className="p-4">
      <Facts columns={3}>
        <Fact label={t('fields.driverId')} value={driver.driverId} />
        <Fact label={t('fields.username')} value={driver.username} />
        <Fact label={t('fields.trucker')} value={driver.trucker} empty={none} />
        <Fact label={t('fields.phone')} value={driver.phone && <PhoneText text={driver.phone} />} empty={none} />
        <Fact label={t('fields.email')} value={driver.email && <EmailText address={driver.email} />} empty={none} />
        <Fact label={t('fields.vehiclePlate')} value={driver.vehiclePlate} empty={none} />
        <Fact label={t('fields.licenceNumber')} value={driver.licenceNumber} empty={none} />
        <Fact
          label={t('fields.licenceExpiry')}
          value={driver.licenceExpiry && formatDay(driver.licenceExpiry)}
          empty={none}
        />
        <Fact label={t('fields.language')} value={driver.language} empty={none} />
        <Fact
          label={t('fields.trackingConsentAt')}
          value={driver.trackingConsentAt && <DateTime instant={driver.trackingConsentAt} className="whitespace-nowrap" />}
          empty={t('view.noConsent')}
        />
        <Fact label={t('fields.createdAt')} value={<ByAt by={driver.createdBy} at={driver.createdAt} />} />
        <Fact label={t('fields.updatedAt')} value={<ByAt by={driver.updatedBy} at={driver.updatedAt} />} />
      </Facts>
    </Panel>
  );
}

/** Reminds that a new driver needs a PIN to sign in. */
function PinNote({ username }: { username: string }) {
  const { t } = useTranslation('drivers');
  return (
    <Note className="mb-4" title={t('new.pinTitle')}>
      <p>{t('new.pinText')}</p>
      <Button asChild size={28} icon={KeyRound} className="mt-2">
        <Link to={resetPinAddress(username)}>{t('new.pinLink')}</Link>
      </Button>
    </Note>
  );
}
