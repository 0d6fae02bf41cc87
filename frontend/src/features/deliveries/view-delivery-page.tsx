import { ChevronLeft, ChevronRight, History, type LucideIcon } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { useTimeZone } from '@/data/use-time-zone';
import { formatDateTime } from '@/lib/dates';
import { formatCount, formatListCount } from '@/lib/numbers';
import { encodeFilters } from '@/list/filters-codec';
import { type ListOrigin, readListOrigin, toLocationState } from '@/list/list-origin';
import { RecordLink, useRecordLink } from '@/list/record-link';
import { routes, useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { Panel, PanelHead } from '@/ui/panel';
import { ProgressBar } from '@/ui/progress-bar';
import { StatusChip, statusLook } from '@/ui/status-chip';
import { ViewTabs } from '@/ui/tabs';
import { Tag } from '@/ui/tag';
import { attemptAsked, attemptOf } from './attempts';
import { ConflictBar } from './conflict-bar';
import { DeliveryActions } from './delivery-actions';
import { deliveriesOfShipment, DeliveryFacts } from './delivery-facts';
import { DeliveryHeader, DeliverySkeleton, DeliveryState, IncompleteNote } from './delivery-frame';
import { DeliveryHistory } from './delivery-history';
import { DeliveryItems } from './delivery-items';
import { type Delivery, useDelivery } from './delivery-queries';
import { PlacePanel, ProofPanel } from './proof-panel';
import { DELIVERIES } from './queries';
import { useReasons } from './use-reasons';
import { DeliveryVariances } from './variances';

export default function ViewDeliveryPage() {
  const { deliveryId, attempt: asked } = useRouteParams('viewDelivery');
  const { t } = useTranslation('deliveries');
  const timeZone = useTimeZone();
  const result = useDelivery(deliveryId);
  const reasons = useReasons();

  return (
    <PageFrame>
      <DeliveryState id={deliveryId} result={result} loading={<DeliverySkeleton />}>
        {(delivery) => {
          const attempt = attemptOf(delivery, attemptAsked(delivery, asked));
          return (
            <>
              <DeliveryHeader delivery={delivery}>
                <ListPosition id={delivery.id} />
                <HistoryLink id={delivery.id} />
                {/* Dialogs must not carry over to another delivery. */}
                <DeliveryActions key={delivery.id} delivery={delivery} onReload={result.retry} />
              </DeliveryHeader>
              <ConflictBar delivery={delivery} />
              <IncompleteNote delivery={delivery} text={t('incomplete.view')} className="mb-4" />
              <AttemptTabs delivery={delivery} current={attempt.number} />
              <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_340px] xl:grid-cols-[minmax(0,1fr)_372px]">
                <div className="flex min-w-0 flex-col gap-4">
                  <DeliveryFacts delivery={delivery} timeZone={timeZone} />
                  {attempt.isCurrent && <DeliveryItems delivery={delivery} reasons={reasons} />}
                  <DeliveryVariances attempt={attempt} items={delivery.items} />
                </div>
                <div className="flex min-w-0 flex-col gap-4">
                  {(attempt.status !== 'Pending' || attempt.attachments.length > 0) && (
                    <ProofPanel
                      attempt={attempt}
                      scanned={delivery.scanmode === 'Yes'}
                      required={delivery.podRequirement}
                      reasons={reasons}
                      timeZone={timeZone}
                    />
                  )}
                  <PlacePanel attempt={attempt} planned={delivery.addressPoint} />
                  {delivery.shipment && <ShipmentPanel shipment={delivery.shipment} />}
                  <DeliveryHistory attempt={attempt} reasons={reasons} timeZone={timeZone} />
                  <FormVersions delivery={delivery} timeZone={timeZone} />
                </div>
              </div>
            </>
          );
        }}
      </DeliveryState>
    </PageFrame>
  );
}

interface AttemptTabsProps {
  delivery: Delivery;
  current: number;
}

/** One tab for each attempt. The current attempt is last and selected at first. */
function AttemptTabs({ delivery, current }: AttemptTabsProps) {
  const { t } = useTranslation(['deliveries', 'common']);
  const link = useRecordLink();
  if (delivery.attempt < 2) return null;
  const numbers = Array.from({ length: delivery.attempt }, (_, index) => index + 1);
  return (
    <ViewTabs
      label={t('attempts.label')}
      current={String(current)}
      className="mb-4"
      tabs={numbers.map((number) => {
        const { isCurrent, status } = attemptOf(delivery, number);
        return {
          id: String(number),
          label: t('attempts.tab', { number, status: t(`status.delivery.${status}`, { ns: 'common' }) }),
          icon: statusLook({ kind: 'delivery', status }).icon,
          ...link(routes.viewDelivery({ deliveryId: delivery.id, attempt: isCurrent ? undefined : number })),
        };
      })}
    />
  );
}

/** Links to the status history filtered by this delivery. */
function HistoryLink({ id }: { id: string }) {
  const { t } = useTranslation('deliveries');
  const values = [{ label: id, value: id }];
  return (
    <Button asChild icon={History}>
      <Link
        to={routes.deliveryStatusHistories({
          filters: encodeFilters([{ key: 'deliveryId', operator: 'equals', values }]),
        })}
      >
        {t('view.history')}
      </Link>
    </Button>
  );
}

interface FormVersionsProps {
  delivery: Pick<Delivery, 'id' | 'forms'>;
  timeZone: string;
}

/** All issued versions of the delivery form; a correction adds one and keeps the earlier ones. */
function FormVersions({ delivery, timeZone }: FormVersionsProps) {
  const { t } = useTranslation('deliveries');
  const id = useId();
  const { forms } = delivery;
  if (forms.length === 0) return null;
  return (
    <Panel aria-labelledby={id}>
      <PanelHead id={id} title={t('forms.title')} note={t('forms.count', { count: forms.length })} />
      <ul className="px-4 pb-3">
        {forms.map((form) => (
          <li
            key={form.formVersion}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line py-2 text-sm first:border-t-0"
          >
            <RecordLink
              to={routes.viewForm({ deliveryId: delivery.id, formVersion: form.formVersion })}
              className="font-medium text-accent hover:underline"
            >
              {t('forms.version', { version: form.formVersion })}
            </RecordLink>
            <StatusChip kind="delivery" status={form.status} />
            {form.supersededBy !== null && (
              <Tag>{t('forms.superseded', { version: form.supersededBy })}</Tag>
            )}
            <span className="w-full text-xs text-muted tabular-nums">
              {t('view.byAt', { at: formatDateTime(form.issuedAt, timeZone), by: form.issuedBy })}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

type Shipment = NonNullable<Delivery['shipment']>;

function ShipmentPanel({ shipment }: { shipment: Shipment }) {
  const { t } = useTranslation('deliveries');
  const id = useId();
  const { shipmentnumber, shipmentstatus, deliveryCount, openCount, completedCount } = shipment;
  const counts = { total: deliveryCount, open: openCount, completed: completedCount };

  return (
    <Panel aria-labelledby={id}>
      <PanelHead
        id={id}
        title={t('shipment.title')}
        note={shipmentnumber}
        tools={<StatusChip kind="shipment" status={shipmentstatus} />}
      />
      <div className="px-4 pt-1 pb-4">
        <ProgressBar
          label={t('shipment.progress')}
          value={deliveryCount > 0 ? completedCount / deliveryCount : 0}
          tone="ok"
        />
        <dl className="mt-3 grid grid-cols-3 gap-4">
          {(['total', 'open', 'completed'] as const).map((name) => (
            <div key={name}>
              <dt className="text-xs text-muted">{t(`shipment.${name}`)}</dt>
              <dd className="text-lg font-semibold tabular-nums">{formatCount(counts[name])}</dd>
            </div>
          ))}
        </dl>
        <Link
          to={deliveriesOfShipment(shipmentnumber)}
          className="mt-3 inline-block text-sm font-medium text-accent hover:underline"
        >
          {t('shipment.show')}
        </Link>
      </div>
    </Panel>
  );
}

/**
 * Links to the previous and next delivery of the list page from which this one was opened, with the position, such as
 * '4 of 71'.
 */
function ListPosition({ id }: { id: string }) {
  const { t } = useTranslation('deliveries');
  const { state } = useLocation();
  const origin = readListOrigin(state, DELIVERIES);
  const index = origin?.ids.indexOf(id) ?? -1;
  if (!origin || index < 0) return null;
  const total = formatListCount(origin);
  return (
    <nav aria-label={t('view.pages')} className="flex items-center gap-1">
      <Step
        icon={ChevronLeft}
        label={t('view.previous')}
        id={origin.ids[index - 1]}
        origin={origin}
      />
      <RecordLink
        to={routes.deliveries()}
        className="rounded-box px-1 text-sm text-muted tabular-nums hover:text-fg hover:underline"
      >
        {t('view.position', { position: formatCount(origin.offset + index + 1), total })}
      </RecordLink>
      <Step icon={ChevronRight} label={t('view.next')} id={origin.ids[index + 1]} origin={origin} />
    </nav>
  );
}

interface StepProps {
  icon: LucideIcon;
  label: string;
  id: string | undefined;
  origin: ListOrigin;
}

const look = 'hit-target flex size-8 items-center justify-center rounded-control';

function Step({ icon: Icon, label, id, origin }: StepProps) {
  if (id === undefined) {
    return (
      <span aria-hidden className={`${look} text-line2`}>
        <Icon className="size-4" />
      </span>
    );
  }
  return (
    <Link
      replace
      to={routes.viewDelivery({ deliveryId: id })}
      state={toLocationState(origin)}
      aria-label={label}
      data-tip={label}
      className={`${look} text-muted hover:bg-raised hover:text-fg`}
    >
      <Icon aria-hidden className="size-4" />
    </Link>
  );
}
