import { ResourceList } from '@/list/resource-list';
import { PageFrame } from '@/shell/page-frame';
import { driverLogsResource } from '../resource';

export default function DriverLogsPage() {
  return (
    <PageFrame fill>
      <ResourceList resource={driverLogsResource} />
    </PageFrame>
  );
}
