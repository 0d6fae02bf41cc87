import { ResourceList } from '@/list/resource-list';
import { PageFrame } from '@/shell/page-frame';
import { customersResource } from '../resource';

export default function CustomersPage() {
  return (
    <PageFrame fill>
      <ResourceList resource={customersResource} />
    </PageFrame>
  );
}
