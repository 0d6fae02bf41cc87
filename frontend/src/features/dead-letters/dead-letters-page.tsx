import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { useQuery } from 'urql';
import { formatCount } from '@/lib/numbers';
import { ResourceList } from '@/list/resource-list';
import { PageFrame } from '@/shell/page-frame';
import { ViewTabs } from '@/ui/tabs';
import { Endpoints } from './endpoints';
import { ToFix, viewOf } from './to-fix';
import { countsQuery } from './queries';
import { sentResource } from './dead-letter-list';

const TABS = ['failed', 'sent', 'endpoints'] as const;
type Tab = (typeof TABS)[number];
const context = { additionalTypenames: ['DeadLetter', 'Count'] };

export default function DeadLettersPage() {
  const { t } = useTranslation('dead-letters');
  const [params] = useSearchParams();
  const tab: Tab = TABS.find((it) => it === params.get('tab')) ?? 'failed';
  const [{ data }] = useQuery({ query: countsQuery, requestPolicy: 'cache-and-network', context });
  const counts = { failed: data?.failed, sent: data?.sent, endpoints: undefined };
  return (
    <PageFrame fill={tab === 'sent' || (tab === 'failed' && viewOf(params) === 'list')}>
      <ViewTabs
        label={t('tabs.label')}
        className="mb-4"
        tabs={TABS.map((id) => {
          const count = counts[id];
          return {
            id,
            label: t(`tabs.${id}`),
            to: { search: id === 'failed' ? '' : `tab=${id}` },
            count: count && `${formatCount(count.total)}${count.exact ? '' : '+'}`,
          };
        })}
        current={tab}
      />
      <div className="flex min-h-0 flex-1 flex-col gap-4">
        {tab === 'failed' && <ToFix />}
        {tab === 'sent' && (
          <ResourceList
            resource={sentResource}
            find={{ key: 'deliveryId', labelKey: 'dead-letters:fields.deliveryId' }}
          />
        )}
        {tab === 'endpoints' && <Endpoints />}
      </div>
    </PageFrame>
  );
}
