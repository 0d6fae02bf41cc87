import { useAuth } from '@/auth/use-auth';
import { PageFrame } from '@/shell/page-frame';
import { NewDeliveryForm } from '../forms/new-delivery-form';

export default function NewDeliveryPage() {
  const { currentUser } = useAuth();
  return (
    <PageFrame>
      <NewDeliveryForm userId={currentUser?.id ?? ''} />
    </PageFrame>
  );
}
