import { useTranslation } from 'react-i18next';
import { formatPoint } from '@/proof/place';
import { ProofTags } from '@/proof-rules/proof-tags';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts } from '@/ui/facts';
import { Panel } from '@/ui/panel';
import type { Customer } from '../queries';

export function CustomerFacts({ customer }: { customer: Customer }) {
  const { t } = useTranslation(['customers', 'common', 'proof-rules']);
  const none = t('none', { ns: 'common' });
  const { addressPoint, podRequirement } = customer;
  const byAt = (by: string, at: string) => (
    <>
      <DateTime instant={at} className="whitespace-nowrap" />
      <span className="block text-xs text-muted">{t('view.by', { by })}</span>
    </>
  );
  return (
    <Panel aria-label={t('view.facts')} className="p-4">
      <Facts columns={3}>
        <Fact
          label={t('fields.customerEmail')}
          value={customer.customerEmail}
          empty={none}
        />
        <Fact label={t('fields.phone')} value={customer.phone} empty={none} />
        <Fact label={t('fields.code')} value={customer.code} empty={none} />
        <Fact
          label={t('fields.customerAddress')}
          value={
            customer.customerAddress && (
              <>
                <span className="whitespace-pre-line">{customer.customerAddress}</span>
                {addressPoint && (
                  <span className="block text-xs text-muted tabular-nums">
                    {formatPoint(addressPoint)}
                  </span>
                )}
              </>
            )
          }
          empty={none}
        />
        <Fact label={t('fields.createdAt')} value={byAt(customer.createdBy, customer.createdAt)} />
        <Fact label={t('fields.updatedAt')} value={byAt(customer.updatedBy, customer.updatedAt)} />
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
