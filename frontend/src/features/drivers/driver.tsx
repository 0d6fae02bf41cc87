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
import { formatCount } from '@/lib/numbers';
import { encodeFilters, type Filter } from '@/list/filters-codec';
import { toWhere } from '@/list/to-where';
import { routes } from '@/routing/routes';
import { ConfirmDialog } from '@/ui/dialog';
import { Panel } from '@/ui/panel';
import { Skeleton } from '@/ui/skeleton';
import { toast } from '@/ui/toast';
import {
  type Driver,
  driverQuery,
  type DriverRow,
  openOfDriverQuery,
  updateDriverStatusMutation,
} from './queries';

/** What still has to reach somebody: never tried, or tried and to be tried again. */
const OPEN_STATUSES = ['Pending', 'Undelivered'] as const;

const is = (key: string, ...values: string[]): Filter => ({
  key,
  operator: 'equals',
  values: values.map((value) => ({ label: value, value })),
});

/** The filters of the deliveries of a driver: those still open, or those dispatched today. */
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

/** Where a reset link for a new PIN is made. */
export function resetPinAddress(username: string): string {
  return routes.driverResetPassword({ filters: encodeFilters([is('username', username)]) });
}

const schema = v.object({ driverIsNew: v.literal(true) });

/** What the page of a driver learns from the one that made them; carried by the history entry. */
export const NEWLY_MADE: v.InferOutput<typeof schema> = { driverIsNew: true };

export function isNewlyMade(state: unknown): boolean {
  return v.is(schema, state);
}

/** One driver, by an id that matches whatever its case; read anew every so often where that is said. */
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

/** The outline of the page, so that nothing jumps when the driver arrives. */
function DriverSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')}>
      <div className="mb-4 flex h-8 items-center gap-3">
        <Skeleton className="h-6 w-52" />
        <Skeleton className="h-6 w-20 rounded-full" />
      </div>
      <Panel className="grid grid-cols-2 gap-x-6 gap-y-5 p-4 lg:grid-cols-3">
        {Array.from({ length: 9 }, (_, index) => (
          <div key={index} className="flex flex-col gap-2">
            <Skeleton className="h-2.5 w-16 rounded-full" />
            <Skeleton className="h-3 w-28 rounded-full" />
          </div>
        ))}
      </Panel>
    </div>
  );
}

interface DriverStateProps {
  driverId: string;
  result: ReturnType<typeof useDriver>;
  children: (driver: Driver) => ReactNode;
}

/** The states of a page about one driver. */
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

/** Two lines of a list that is on its way. */
export function LinesSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')} className="flex flex-col gap-4 p-4">
      <Skeleton className="h-3 w-3/4 rounded-full" />
      <Skeleton className="h-3 w-2/3 rounded-full" />
    </div>
  );
}

/** How many open deliveries are assigned to a driver, and the way to them. */
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
  // Where the number is not to be had, the way there is.
  const shown = value && `${formatCount(value.total)}${value.exact ? '' : '+'}`;
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

/** The account of the driver and their log change with the access. */
const context = { additionalTypenames: ['DriverAccount', 'DriverLog'] };

/** Blocks a driver, or permits a blocked one. */
export function StatusDialog({ driver, onClose }: StatusDialogProps) {
  const { t } = useTranslation('drivers');
  const [, execute] = useMutation(updateDriverStatusMutation);
  // What was asked stays asked, also when the page around reads the driver anew.
  const [{ driverId, name, status: before }] = useState(driver);
  const verb = before === 'blocked' ? 'permit' : 'block';

  async function change(): Promise<string | undefined> {
    const status = verb === 'permit' ? 'active' : 'blocked';
    // Without a version: who blocks a driver means it, whatever else was changed meanwhile.
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
