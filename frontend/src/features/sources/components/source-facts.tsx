import { useTranslation } from 'react-i18next';
import { ProofTags } from '@/proof-rules/proof-tags';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts } from '@/ui/facts';
import { Panel } from '@/ui/panel';
import { StatusChip } from '@/ui/status-chip';
import type { Source } from '../queries';
import { sourceStatus } from '../status';

export function SourceFacts({ source }: { source: Source }) {
  const { t } = useTranslation(['sources', 'proof-rules']);
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
          label={t('fields.isActive')}
          value={
            <>
              <StatusChip kind="source" status={sourceStatus(source)} />
              {!source.isActive && (
                <span className="mt-1 block text-xs text-muted">{t('view.disabled')}</span>
              )}
            </>
          }
        />
        <Fact label={t('fields.createdAt')} value={byAt(source.createdBy, source.createdAt)} />
        <Fact label={t('fields.updatedAt')} value={byAt(source.updatedBy, source.updatedAt)} />
        <Fact
          wide
          label={t('title', { ns: 'proof-rules' })}
          value={
            <ProofTags
              proofs={source.podRequirement}
              inheritedLabel={t('inherited.source', { ns: 'proof-rules' })}
            />
          }
        />
      </Facts>
    </Panel>
  );
}
