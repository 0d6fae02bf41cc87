import { Ellipsis, Eye, Pencil, Trash2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { routes } from '@/routing/routes';
import { IconButton } from '@/ui/button';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from '@/ui/dropdown-menu';
import type { AnnouncementRow } from '../queries';

interface AnnouncementMenuProps {
  announcement: AnnouncementRow;
  onDelete: (announcement: AnnouncementRow) => void;
}

/** What can be done with an announcement where it stands in the list. */
export function AnnouncementMenu({ announcement, onDelete }: AnnouncementMenuProps) {
  const { t } = useTranslation('announcements');
  const navigate = useNavigate();
  const { id, title } = announcement;
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <IconButton icon={Ellipsis} size={28} label={t('menu.open', { title })} />
      </DropdownMenuTrigger>
      <DropdownMenuContent>
        <DropdownMenuItem
          icon={Eye}
          onSelect={() => void navigate(routes.viewAnnouncement({ id }))}
        >
          {t('menu.view')}
        </DropdownMenuItem>
        <DropdownMenuItem
          icon={Pencil}
          onSelect={() => void navigate(routes.editAnnouncement({ id }))}
        >
          {t('edit.verb')}
        </DropdownMenuItem>
        <DropdownMenuSeparator />
        <DropdownMenuItem danger icon={Trash2} onSelect={() => onDelete(announcement)}>
          {t('delete.verb')}
        </DropdownMenuItem>
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
