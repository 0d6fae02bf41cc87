import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useMutation } from 'urql';
import * as v from 'valibot';
import { errorText, normalizeError } from '@/data/errors';
import { RecordState } from '@/data/query-state';
import { usePolling } from '@/data/use-polling';
import { useRecord } from '@/data/use-record';
import { useTimeZone } from '@/data/use-time-zone';
import { formatListCount } from '@/lib/numbers';
import { encodeFilters, type Filter } from '@/list/filters-codec';
import { toWhere } from '@/list/to-where';
import { routes } from '@/routing/routes';
import { ConfirmDialog } from '@/ui/dialog';
import { FactsSkeleton, Skeleton } from '@/ui/skeleton';
import { toast } from '@/ui/toast';
import {
  type Driver,
  driverQuery,
  type DriverRow,
  openOfDriverQuery,
  updateDriverStatusMutation,
} from './queries';

/** Positions and the driver log change without an event, so poll. */
export const POLL_INTERVAL_MS = 30_000;

/** Deliveries that still have to be made: not attempted yet, or to be attempted again. */
const OPEN_STATUSES = ['Pending', 'Undelivered'] as const;

const is = (key: string, ...values: string[]): Filter => ({
  key,
  operator: 'equals',
  values: values.map((value) => ({ label: value, value })),
});

/** Filters for the open deliveries of a driver, or for those dispatched today. */
export function deliveriesOf(driverId: string, which: 'open' | 'today'): Filter[] {
  const own = is('driverId', driverId);
  if (which === 'open') return [own, is('deliverystatus', ...OPEN_STATUSES)];
  const today = { label: 'Today', value: 'today' };
  return [own, { key: 'scheduledatetime', operator: 'inDateRange', values: [today] }];
}

export function deliveriesAddress(driverId: string, which: 'open' | 'today'): string {
  return routes.deliveries({ filters: encodeFilters(deliveriesOf(driverId, which)) });
}

export function logsAddress({ driverId, name }: { driverId: string; name: string }): string {
  const own: Filter = {
    ...is('driverId', driverId),
    values: [{ label: `${name} (${driverId})`, value: driverId }],
  };
  return routes.driverLogs({ filters: encodeFilters([own]) });
}

/** The address of the page that creates a reset link for a PIN. */
export function resetPinAddress(username: string): string {
  return routes.driverResetPassword({ filters: encodeFilters([is('username', username)]) });
}

const schema = v.object({ driverIsNew: v.literal(true) });

/** State of the history entry that marks a driver as just created. */
export const NEWLY_MADE: v.InferOutput<typeof schema> = { driverIsNew: true };

export function isNewlyMade(state: unknown): boolean {
  return v.is(schema, state);
}

/** Reads one driver by ID, ignoring case; polls if an interval in milliseconds is given. */
export function useDriver(driverId: string, pollInterval?: number) {
  const result = useRecord({
    document: driverQuery,
    variables: { driverId },
    typenames: ['Driver'],
    read: ({ driver }) => driver,
  });
  usePolling(result.refresh, pollInterval);
  return result;
}

/** Skeleton in the layout of the page, so that nothing shifts when the driver loads. */
function DriverSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')}>
      <div className="mb-4 flex h-8 items-center gap-3">
        <Skeleton className="h-6 w-52" />
        <Skeleton className="h-6 w-20 rounded-full" />
      </div>
      <FactsSkeleton count={9} />
    </div>
  );
}

interface DriverStateProps {
  driverId: string;
  result: ReturnType<typeof useDriver>;
  children: (driver: Driver) => ReactNode;
}

/** Loading, error and not-found states of a page about one driver. */
export function DriverState({ driverId, result, children }: DriverStateProps) {
  const { t } = useTranslation('drivers');
  return (
    <RecordState
      result={result}
      loading={<DriverSkeleton />}
      notFound={{
        title: t('view.notFound.title'),
        text: t('view.notFound.text', { driverId }),
        action: t('view.notFound.action'),
        to: routes.drivers(),
      }}
    >
      {children}
    </RecordState>
  );
}

/** Skeleton of a two-line list. */
export function LinesSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')} className="flex flex-col gap-4 p-4">
      <Skeleton className="h-3 w-3/4 rounded-full" />
      <Skeleton className="h-3 w-2/3 rounded-full" />
    </div>
  );
}

/** Links to the open deliveries of a driver, with their number. */
export function OpenDeliveriesLink({ driverId }: { driverId: string }) {
  const { t } = useTranslation('drivers');
  const timeZone = useTimeZone();
  const { value, error } = useRecord({
    document: openOfDriverQuery,
    variables: { open: toWhere(deliveriesOf(driverId, 'open'), timeZone) },
    typenames: ['Delivery'],
    read: ({ open }) => open,
  });
  if (!value && !error) return null;
  if (value?.total === 0) return t('open.none');
  // Without a number, show the link alone.
  const shown = value && formatListCount(value);
  return (
    <Link to={deliveriesAddress(driverId, 'open')} className="font-medium text-accent underline">
      {value ? t('open.show', { count: value.total, shown }) : t('open.showAny')}
    </Link>
  );
}

interface StatusDialogProps {
  driver: Pick<DriverRow, 'driverId' | 'name' | 'status'>;
  onClose: () => void;
}

/** Types to refetch: blocking a driver changes the account and adds a log entry. */
const context = { additionalTypenames: ['DriverAccount', 'DriverLog'] };

/** Blocks or unblocks a driver. */
export function StatusDialog({ driver, onClose }: StatusDialogProps) {
  const { t } = useTranslation('drivers');
  const [, execute] = useMutation(updateDriverStatusMutation);
  // Keep the driver as it was when the dialog opened, even if the page refreshes it.
  const [{ driverId, name, status: before }] = useState(driver);
  const verb = before === 'blocked' ? 'permit' : 'block';

  async function change(): Promise<string | undefined> {
    const status = verb === 'permit' ? 'active' : 'blocked';
    // The version is not sent, because a driver should be blocked whatever else was changed.
    const { error } = await execute({ input: { driverId, status } }, context);
    if (error) return errorText(normalizeError(error));
    toast.success(t(`${verb}.done`, { name }));
    return undefined;
  }

  return (
    <ConfirmDialog
      danger={verb === 'block'}
      title={t(`${verb}.question`, { name })}
      text={
        <>
          {t(`${verb}.text`)} {verb === 'block' && <OpenDeliveriesLink driverId={driverId} />}
        </>
      }
      confirm={t(`${verb}.confirm`)}
      busy={t(`${verb}.busy`)}
      onConfirm={change}
      onClose={onClose}
    />
  );
}
