import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts } from '@/ui/facts';
import { SidePanel } from '@/ui/side-panel';
import { isReading } from '../actions';
import { entityLink } from '../entity-link';
import type { AuditEntry } from '../queries';
import { AuditAction } from './audit-action';
import { AuditEntity } from './audit-entity';
import { ChangesTable } from './changes-table';

interface AuditPanelProps {
  entry: AuditEntry;
  onClose: () => void;
}

/** One entry in full. */
export function AuditPanel({ entry, onClose }: AuditPanelProps) {
  const { t } = useTranslation(['audit', 'common']);
  const { action, actor, address, at, entity, entityId, entityName, requestId } = entry;
  const link = entityLink(entry);
  const none = t('none', { ns: 'common' });
  return (
    <SidePanel
      title={<AuditAction action={action} />}
      subtitle={<DateTime instant={at} />}
      onClose={onClose}
    >
      <Facts columns={2} className="mb-5 grid-cols-2">
        <Fact label={t('fields.actor')} value={actor} />
        <Fact label={t('fields.address')} value={address} empty={t('panel.noAddress')} />
        <Fact
          label={t('fields.entityName')}
          value={
            link ? (
              <Link to={link} className="font-medium text-accent hover:underline">
                {entityName || entityId}
              </Link>
            ) : (
              entityName
            )
          }
          empty={t('several')}
        />
        <Fact label={t('fields.entity')} value={<AuditEntity entity={entity} />} />
        <Fact label={t('panel.requestId')} value={requestId} empty={none} />
        <Fact label={t('panel.action')} value={action} />
      </Facts>
      <h3 className="mb-2 text-sm font-semibold">
        {t(isReading(action) ? 'changes.asked' : 'changes.title')}
      </h3>
      <ChangesTable entry={entry} />
    </SidePanel>
  );
}
