import { useMemo, useState } from 'react';
import type { RowOpening } from '@/list/resource';
import { ResourceList } from '@/list/resource-list';
import { PageFrame } from '@/shell/page-frame';
import { StepPanel } from '../components/step-panel';
import type { HistoryStep } from '../queries';
import { historiesResource } from '../resource';

export default function StatusHistoriesPage() {
  const [opened, setOpened] = useState<HistoryStep>();
  const rowOpening = useMemo(
    (): RowOpening<HistoryStep> => ({ open: setOpened, openId: opened?.id }),
    [opened],
  );
  return (
    <PageFrame fill>
      <ResourceList resource={historiesResource} rowOpening={rowOpening} />
      {opened && <StepPanel step={opened} onClose={() => setOpened(undefined)} />}
    </PageFrame>
  );
}
