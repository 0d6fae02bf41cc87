import { useMemo, useState } from 'react';
import type { RowOpening } from '@/list/resource';
import { ResourceList } from '@/list/resource-list';
import { PageFrame } from '@/shell/page-frame';
import { AuditPanel } from '../components/audit-panel';
import type { AuditEntry } from '../queries';
import { auditResource } from '../resource';

export default function AuditPage() {
  const [opened, setOpened] = useState<AuditEntry>();
  const rowOpening = useMemo(
    (): RowOpening<AuditEntry> => ({ open: setOpened, openId: opened?.id }),
    [opened],
  );
  return (
    <PageFrame fill>
      <ResourceList resource={auditResource} rowOpening={rowOpening} />
      {opened && <AuditPanel entry={opened} onClose={() => setOpened(undefined)} />}
    </PageFrame>
  );
}
