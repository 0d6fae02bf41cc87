import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { usePolling } from '@/data/use-polling';
import { useRecord } from '@/data/use-record';
import { formatListCount } from '@/lib/numbers';
import { ResourceList } from '@/list/resource-list';
import { PageFrame } from '@/shell/page-frame';
import { ViewTabs } from '@/ui/tabs';
import { Endpoints } from './endpoints';
import { ToFix, viewOf } from './to-fix';
import { countsQuery } from './queries';
import { POLL_INTERVAL_MS, sentResource } from './dead-letter-list';

const TABS = ['failed', 'sent', 'endpoints'] as const;
type Tab = (typeof TABS)[number];

export default function DeadLettersPage() {
  const { t } = useTranslation('dead-letters');
  const [params] = useSearchParams();
  const tab: Tab = TABS.find((it) => it === params.get('tab')) ?? 'failed';
  const { value, refresh } = useRecord({
    document: countsQuery,
    variables: {},
    typenames: ['DeadLetter', 'Count'],
    read: (data) => data,
  });
  usePolling(refresh, POLL_INTERVAL_MS);
  const counts = { failed: value?.failed, sent: value?.sent, endpoints: undefined };
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
            count: count && formatListCount(count),
          };
        })}
        current={tab}
      />
      <div className="flex min-h-0 flex-1 flex-col gap-4">
        {tab === 'failed' && <ToFix onJobEnd={refresh} />}
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
