import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { routes } from '@/routing/routes';
import { Fact, Facts } from '@/ui/facts';
import { SidePanel } from '@/ui/side-panel';
import type { AuditEntry } from '../queries';
import { AuditAction } from './audit-action';
import { AuditEntity } from './audit-entity';
import { ChangesTable } from './changes-table';
import { When } from './when';

interface AuditPanelProps {
  entry: AuditEntry;
  onClose: () => void;
}

/** One entry in full. */
export function AuditPanel({ entry, onClose }: AuditPanelProps) {
  const { t } = useTranslation(['audit', 'common']);
  const { action, actor, address, at, entity, entityId, entityName, requestId } = entry;
  const none = t('none', { ns: 'common' });
  return (
    <SidePanel
      title={<AuditAction action={action} />}
      subtitle={<When instant={at} />}
      onClose={onClose}
    >
      <Facts columns={2} className="mb-5 grid-cols-2">
        <Fact label={t('fields.actor')} value={actor} />
        <Fact label={t('fields.address')} value={address} empty={t('panel.noAddress')} />
        <Fact
          label={t('fields.entityName')}
          value={
            entity === 'user' ? (
              <Link
                to={routes.viewUser({ id: entityId })}
                className="font-medium text-accent hover:underline"
              >
                {entityName}
              </Link>
            ) : (
              entityName
            )
          }
          empty={none}
        />
        <Fact label={t('fields.entity')} value={<AuditEntity entity={entity} />} />
        <Fact label={t('panel.requestId')} value={requestId} empty={none} />
        <Fact label={t('panel.action')} value={action} />
      </Facts>
      <h3 className="mb-2 text-sm font-semibold">{t('changes.title')}</h3>
      <ChangesTable entry={entry} />
    </SidePanel>
  );
}
