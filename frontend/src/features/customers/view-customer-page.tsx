import { Pencil } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { WRITE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import { QueryState } from '@/data/query-state';
import { useRecord } from '@/data/use-record';
import { useTimeZone } from '@/data/use-time-zone';
import { formatListCount } from '@/lib/numbers';
import { encodeFilters, type Filter } from '@/list/filters-codec';
import { toWhere } from '@/list/to-where';
import { ByAt } from '@/domain/by-at';
import { formatLocation } from '@/domain/location';
import { ProofTags } from '@/domain/proof-rules';
import { RecordLink } from '@/list/record-link';
import { routes, useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { DateTime } from '@/ui/date-time';
import { EmailText, Fact, Facts, Panel, PanelHead } from '@/ui/panel';
import { PhoneText } from '@/ui/phone-text';
import { Skeleton } from '@/ui/skeleton';
import { StatusChip } from '@/ui/status-chip';
import { CustomerState, useCustomer } from './customer';
import { type Customer, openDeliveriesQuery } from './queries';

/** Statuses of open deliveries: not attempted yet, or to be attempted again. */
export const OPEN_STATUSES = ['Pending', 'Undelivered'] as const;

const plain = (value: string) => ({ label: value, value });

/** Filters for all deliveries of a customer, or for the open ones. */
function deliveriesOf(customerName: string, which: 'all' | 'open'): Filter[] {
  const own: Filter = {
    key: 'customername',
    operator: 'equals',
    values: [plain(customerName)],
  };
  const open: Filter = {
    key: 'deliverystatus',
    operator: 'equals',
    values: OPEN_STATUSES.map(plain),
  };
  return which === 'open' ? [own, open] : [own];
}

function deliveriesAddress(customerName: string, which: 'all' | 'open'): string {
  return routes.deliveries({ filters: encodeFilters(deliveriesOf(customerName, which)) });
}

export default function ViewCustomerPage() {
  const { t } = useTranslation('customers');
  const { hasRole } = useAuth();
  const { customerName } = useRouteParams('viewCustomer');
  const result = useCustomer(customerName);
  return (
    <PageFrame>
      <CustomerState customerName={customerName} result={result}>
        {(customer) => (
          <>
            <div className="mb-4 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
              <h2 dir="auto" className="text-xl font-semibold wrap-anywhere">{customer.customerName}</h2>
              {hasRole(WRITE_ROLES) && (
                <Button asChild icon={Pencil} className="ms-auto max-md:ms-0">
                  <RecordLink to={routes.editCustomer({ customerName: customer.customerName })}>
                    {t('edit.verb')}
                  </RecordLink>
                </Button>
              )}
            </div>
            <div className="flex flex-col gap-4">
              <CustomerFacts customer={customer} />
              <OpenDeliveries customerName={customer.customerName} />
            </div>
          </>
        )}
      </CustomerState>
    </PageFrame>
  );
}

function CustomerFacts({ customer }: { customer: Customer }) {
  const { t } = useTranslation(['customers', 'common', 'proof-rules']);
  const none = t('none', { ns: 'common' });
  const { addressPoint, podRequirement } = customer;
  return (
    <Panel aria-label={t('view.facts')} className="p-4">
      <Facts columns={3}>
        <Fact
          label={t('fields.customerEmail')}
          value={customer.customerEmail && <EmailText address={customer.customerEmail} />}
          empty={none}
        />
        <Fact label={t('fields.phone')} value={customer.phone && <PhoneText text={customer.phone} />} empty={none} />
        <Fact label={t('fields.code')} value={customer.code} empty={none} />
        <Fact
          label={t('fields.customerAddress')}
          value={
            customer.customerAddress && (
              <>
                <span className="whitespace-pre-line">{customer.customerAddress}</span>
                {addressPoint && (
                  <span className="block text-xs text-muted tabular-nums">
                    {formatLocation(addressPoint)}
                  </span>
                )}
              </>
            )
          }
          empty={none}
        />
        <Fact label={t('fields.createdAt')} value={<ByAt by={customer.createdBy} at={customer.createdAt} />} />
        <Fact label={t('fields.updatedAt')} value={<ByAt by={customer.updatedBy} at={customer.updatedAt} />} />
        <Fact
          wide
          label={t('title', { ns: 'proof-rules' })}
          value={
            <ProofTags
              proofs={podRequirement}
              inheritedLabel={t('inherited.customer', { ns: 'proof-rules' })}
            />
          }
        />
      </Facts>
    </Panel>
  );
}

const SHOWN = 5;

/** A customer's open deliveries, earliest first. */
function OpenDeliveries({ customerName }: { customerName: string }) {
  const { t } = useTranslation(['customers', 'common', 'deliveries']);
  const id = useId();
  const timeZone = useTimeZone();
  const where = toWhere(deliveriesOf(customerName, 'open'), timeZone);
  const { value, error, status, retry } = useRecord({
    document: openDeliveriesQuery,
    variables: {
      page: { where, sort: [{ key: 'scheduledatetime', direction: 'asc' }], limit: SHOWN, offset: 0 },
      where,
    },
    typenames: ['Delivery'],
    read: ({ deliveries, deliveriesCount }) => ({ rows: deliveries, count: deliveriesCount }),
  });
  const total = value && formatListCount(value.count);

  return (
    <Panel aria-labelledby={id} className="overflow-hidden">
      <PanelHead id={id} line title={t('open.title')} note={total} />
      <QueryState
        value={value}
        error={error}
        status={status}
        onRetry={retry}
        empty={null}
        loading={
          <div role="status" aria-label={t('common:loading')} className="flex flex-col gap-4 p-4">
            <Skeleton className="h-3 w-3/4 rounded-full" />
            <Skeleton className="h-3 w-2/3 rounded-full" />
          </div>
        }
      >
        {({ rows }) =>
          rows.length === 0 ? (
            <p className="px-4 py-6 text-center text-sm text-muted">{t('open.none')}</p>
          ) : (
            <ul aria-labelledby={id} className="divide-y divide-line">
              {rows.map((row) => (
                <li
                  key={row.id}
                  className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 text-sm"
                >
                  <Link
                    to={routes.viewDelivery({ deliveryId: row.id })}
                    className="min-w-32 font-medium text-accent wrap-anywhere hover:underline"
                  >
                    {row.id}
                  </Link>
                  <StatusChip kind="delivery" status={row.deliverystatus} />
                  <DateTime instant={row.scheduledatetime} />
                  <span className="ms-auto text-muted max-md:ms-0">
                    <span className="sr-only">{t('deliveries:fields.driverId')}: </span>
                    {row.driverId ?? t('common:unassigned')}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </QueryState>
      <div className="flex flex-wrap gap-x-6 gap-y-2 border-t border-line px-4 py-3 text-sm font-medium">
        {value && value.rows.length > 0 && (
          <Link
            to={deliveriesAddress(customerName, 'open')}
            className="text-accent hover:underline"
          >
            {t('open.showOpen', { count: value.count.total, shown: total })}
          </Link>
        )}
        <Link to={deliveriesAddress(customerName, 'all')} className="text-accent hover:underline">
          {t('open.showAll')}
        </Link>
      </div>
    </Panel>
  );
}
