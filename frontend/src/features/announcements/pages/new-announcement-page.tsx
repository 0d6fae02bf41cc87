import { PageFrame } from '@/shell/page-frame';
import { NewAnnouncementForm } from '../components/new-announcement-form';

export default function NewAnnouncementPage() {
  return (
    <PageFrame>
      <NewAnnouncementForm />
    </PageFrame>
  );
}
