import { Link2, Smartphone } from 'lucide-react';
import { Suspense, useId, useState } from 'react';
import { Controller, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { useAuth } from '@/auth/use-auth';
import { type AppError, normalizeError } from '@/data/errors';
import { QueryState } from '@/data/query-state';
import { usePolling } from '@/data/use-polling';
import { useRecord } from '@/data/use-record';
import { Form, FormFields, FormSummary, SubmitButton } from '@/form/form';
import { LookupField } from '@/form/lookup-field';
import { useNameOf } from '@/i18n/texts';
import { formatCount } from '@/lib/numbers';
import { newUuid } from '@/lib/uuid';
import { permittedDriverLookup } from '@/domain/lookups/lookups';
import { formatLocation } from '@/domain/location';
import { Button } from '@/ui/button';
import { CopyField } from '@/ui/copy-field';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts } from '@/ui/panel';
import { lazyPart } from '@/ui/lazy-part';
import { Note } from '@/ui/note';
import { Segmented } from '@/ui/tabs';
import { SidePanel } from '@/ui/side-panel';
import { Skeleton } from '@/ui/skeleton';
import { toast } from '@/ui/toast';
import { LinesSkeleton } from './driver';
import { pairDeviceMutation, type UnpairedDevice, unpairedDevicesQuery } from './queries';
import { osmandAddress, trackingAddress } from './tracking-address';

const NO_VARIABLES = {};
const POLL_INTERVAL_MS = 10_000;

/** Polls for devices that send positions without a driver. */
function useUnpairedDevices() {
  const result = useRecord({
    document: unpairedDevicesQuery,
    variables: NO_VARIABLES,
    typenames: ['UnpairedDevice'],
    read: ({ unpairedDevices }) => unpairedDevices,
  });
  usePolling(result.refresh, POLL_INTERVAL_MS);
  return result;
}

/** Refetches the list of unpaired devices. */
const context = { additionalTypenames: ['UnpairedDevice'] };

/** Pairs a device with a driver. */
function usePairDevice(uniqueId: string) {
  const { t } = useTranslation('drivers');
  const [, execute] = useMutation(pairDeviceMutation);
  const [failure, setFailure] = useState<AppError>();

  async function pair(driverId: string) {
    setFailure(undefined);
    const { data, error } = await execute({ input: { uniqueId, driverId } }, context);
    if (data) toast.success(t('pairing.done', { uniqueId, name: data.pairDevice.name }));
    else setFailure(normalizeError(error));
  }

  return { failure, pair };
}

interface PairingProps {
  isOpen: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Banner for unpaired devices; opens the panel to pair them. */
export function Pairing({ isOpen, onOpenChange }: PairingProps) {
  const { t } = useTranslation('drivers');
  const result = useUnpairedDevices();
  const [isPutOff, setPutOff] = useState(false);
  const count = result.value?.length ?? 0;
  return (
    <>
      {count > 0 && !isPutOff && (
        <Note
          role="status"
          className="mb-3"
          title={t('pairing.waiting', { count, shown: formatCount(count) })}
        >
          <span className="mt-1 flex gap-2">
            <Button size={28} icon={Smartphone} onClick={() => onOpenChange(true)}>
              {t('pairing.title')}
            </Button>
            <Button size={28} variant="quiet" onClick={() => setPutOff(true)}>
              {t('pairing.later')}
            </Button>
          </span>
        </Note>
      )}
      {isOpen && <PairingPanel result={result} onClose={() => onOpenChange(false)} />}
    </>
  );
}

interface PairingPanelProps {
  result: ReturnType<typeof useUnpairedDevices>;
  onClose: () => void;
}

/** Side panel with unpaired devices, and instructions to set up another one. */
function PairingPanel({ result, onClose }: PairingPanelProps) {
  const { t } = useTranslation('drivers');
  return (
    <SidePanel title={t('pairing.title')} subtitle={t('pairing.subtitle')} onClose={onClose}>
      <div className="flex flex-col gap-6">
        <QueryState
          value={result.value}
          error={result.error}
          onRetry={result.retry}
          empty={null}
          loading={<LinesSkeleton />}
        >
          {(devices) => <DeviceList devices={devices} />}
        </QueryState>
        <PhoneSetup />
      </div>
    </SidePanel>
  );
}

function DeviceList({ devices }: { devices: readonly UnpairedDevice[] }) {
  const { t } = useTranslation('drivers');
  const [opened, setOpened] = useState<string>();
  // The form of a single device is open from the start, and stays open when other devices appear.
  const only = devices.length === 1 ? devices[0]?.uniqueId : undefined;
  if (only !== undefined && opened !== only) setOpened(only);
  if (devices.length === 0) {
    return (
      <p role="status" className="text-sm text-muted">
        {t('pairing.none')}
      </p>
    );
  }
  return (
    <ul
      aria-label={t('pairing.list')}
      className="divide-y divide-line rounded-control border border-line"
    >
      {devices.map((device) => (
        <DeviceCard
          key={device.uniqueId}
          device={device}
          isOpen={device.uniqueId === opened}
          onOpen={() => setOpened(device.uniqueId)}
        />
      ))}
    </ul>
  );
}

interface DeviceCardProps {
  device: UnpairedDevice;
  /** Whether the form to choose its driver is open. */
  isOpen: boolean;
  onOpen: () => void;
}

/** An unpaired device with its details and the form to pair it. */
function DeviceCard({ device, isOpen, onOpen }: DeviceCardProps) {
  const { t } = useTranslation(['drivers', 'common']);
  const nameOf = useNameOf();
  const titleId = useId();
  const { uniqueId, provider, lastPosition: position } = device;
  return (
    <li aria-labelledby={titleId} className="flex flex-col gap-3 px-4 py-3">
      <div className="flex items-center gap-2">
        <Smartphone aria-hidden className="size-4 shrink-0 text-muted" />
        <h3 id={titleId} className="min-w-0 flex-1 text-sm font-semibold wrap-anywhere">
          {uniqueId}
        </h3>
        {!isOpen && (
          <Button size={28} aria-label={t('pairing.pairOf', { uniqueId })} onClick={onOpen}>
            {t('pairing.pair')}
          </Button>
        )}
      </div>
      <Facts columns={2} className="grid-cols-2">
        <Fact label={t('fields.lastSeenAt')} value={<DateTime instant={device.lastSeenAt} show="ago" />} />
        <Fact label={t('pairing.firstSeen')} value={<DateTime instant={device.firstSeenAt} show="ago" />} />
        <Fact
          label={t('position.place')}
          value={
            position && (
              <span className="tabular-nums">
                {formatLocation({ ...position, accuracy: position.accuracyM })}
              </span>
            )
          }
          empty={t('none', { ns: 'common' })}
        />
        <Fact label={t('pairing.positions')} value={formatCount(device.positions)} />
        <Fact
          label={t('position.provider')}
          value={nameOf('drivers:providers', provider)}
        />
        <Fact label={t('pairing.address')} value={device.address} />
      </Facts>
      {isOpen && <PairForm uniqueId={uniqueId} />}
    </li>
  );
}

/** Chooses the driver of a device. */
function PairForm({ uniqueId }: { uniqueId: string }) {
  const { t } = useTranslation('drivers');
  const form = useForm({ defaultValues: { driverId: '' } });
  const { errors, isSubmitting } = form.formState;
  const { failure, pair } = usePairDevice(uniqueId);
  return (
    <Form
      form={form}
      label={t('pairing.formOf', { uniqueId })}
      onSubmit={({ driverId }) => pair(driverId)}
      className="flex flex-col gap-3"
    >
      <FormSummary failure={failure} />
      <FormFields>
        <Controller
          control={form.control}
          name="driverId"
          rules={{ required: t('pairing.choose') }}
          render={({ field }) => (
            <LookupField
              {...field}
              strict
              inline
              lookup={permittedDriverLookup}
              label={t('fields.driver')}
              hint={t('pairing.driverHint')}
              error={errors.driverId}
            />
          )}
        />
      </FormFields>
      <div>
        <SubmitButton
          icon={Link2}
          busy={isSubmitting}
          label={t('pairing.pair')}
          busyLabel={t('pairing.busy')}
        />
      </div>
    </Form>
  );
}

const QrCode = lazyPart(
  () => import('@/ui/qr-code'),
  () => undefined,
);

const APPS = ['traccar', 'osmand', 'owntracks'] as const;
type App = (typeof APPS)[number];

/** Instructions to set up a phone as a device. */
function PhoneSetup() {
  const { t } = useTranslation('drivers');
  const id = useId();
  const { currentUser } = useAuth();
  const [app, setApp] = useState<App>('traccar');
  // The ID is random, because anyone who guesses it could send positions for the device.
  const [deviceId] = useState(() => newUuid().replaceAll('-', '').slice(0, 16));
  const address = currentUser?.tracking && trackingAddress(currentUser.tracking, window.location);
  const texts: Record<App, string> = {
    traccar: address?.url ?? '',
    osmand: address ? osmandAddress(address.url, deviceId) : '',
    owntracks: address?.url ?? '',
  };
  return (
    <section aria-labelledby={id} className="flex flex-col gap-3 text-sm">
      <h3 id={id} className="font-semibold">
        {t('setup.title')}
      </h3>
      {address ? (
        <>
          <p className="text-muted">{t('setup.text')}</p>
          {address.isLocal && <Note tone="info">{t('setup.local')}</Note>}
          <Segmented
            label={t('setup.app')}
            value={app}
            onChange={setApp}
            segments={APPS.map((value) => ({ value, label: t(`setup.apps.${value}.name`) }))}
            className="self-start"
          />
          <p className="text-muted">{t(`setup.apps.${app}.text`)}</p>
          <CopyField label={t('setup.address')} text={texts[app]} />
          {app !== 'osmand' && <CopyField label={t('setup.deviceId')} text={deviceId} />}
          <div data-theme="light" className="size-40 self-center rounded-control bg-surface p-2">
            <Suspense fallback={<Skeleton className="size-full" />}>
              <QrCode text={texts[app]} label={t('setup.code')} />
            </Suspense>
          </div>
          <p className="text-muted">{t('setup.then')}</p>
        </>
      ) : (
        <p className="text-muted">{t('setup.off')}</p>
      )}
    </section>
  );
}
