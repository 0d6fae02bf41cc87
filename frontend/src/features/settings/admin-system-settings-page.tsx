import { ResourceList } from '@/list/resource-list';
import { PageFrame } from '@/shell/page-frame';
import { adminSystemSettingsResource, FIND } from './settings-list';

export default function AdminSystemSettingsPage() {
  return (
    <PageFrame fill>
      <ResourceList resource={adminSystemSettingsResource} find={FIND} />
    </PageFrame>
  );
}
