import { ResourceList } from '@/list/resource-list';
import { PageFrame } from '@/shell/page-frame';
import { FIND, systemSettingsResource } from './settings-list';

export default function SystemSettingsPage() {
  return (
    <PageFrame fill>
      <ResourceList resource={systemSettingsResource} find={FIND} />
    </PageFrame>
  );
}
