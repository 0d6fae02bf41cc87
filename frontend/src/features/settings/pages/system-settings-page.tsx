import { ResourceList } from '@/list/resource-list';
import { PageFrame } from '@/shell/page-frame';
import { FIND } from '../find';
import { systemSettingsResource } from '../resource';

export default function SystemSettingsPage() {
  return (
    <PageFrame fill>
      <ResourceList resource={systemSettingsResource} find={FIND} />
    </PageFrame>
  );
}
