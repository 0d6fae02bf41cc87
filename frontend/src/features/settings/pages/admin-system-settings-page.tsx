import { ResourceList } from '@/list/resource-list';
import { PageFrame } from '@/shell/page-frame';
import { FIND } from '../find';
import { adminSystemSettingsResource } from '../resource';

export default function AdminSystemSettingsPage() {
  return (
    <PageFrame fill>
      <ResourceList resource={adminSystemSettingsResource} find={FIND} />
    </PageFrame>
  );
}
