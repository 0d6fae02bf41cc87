import { Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { routes } from '@/routing/routes';
import { IconButton } from '@/ui/button';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuTrigger,
} from '@/ui/dropdown-menu';
import type { ReportSettingRow } from '../queries';

interface ReportSettingMenuProps {
  setting: ReportSettingRow;
  onDelete: (setting: ReportSettingRow) => void;
}

/** What can be done with a report setting where it stands in the list. */
export function ReportSettingMenu({ setting, onDelete }: ReportSettingMenuProps) {
  const { t } = useTranslation('report-settings');
  const navigate = useNavigate();
  const { id, name } = setting;
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <IconButton icon={Ellipsis} size={28} label={t('menu.open', { name })} />
      </DropdownMenuTrigger>
      <DropdownMenuContent>
        <DropdownMenuItem
          icon={Pencil}
          onSelect={() => void navigate(routes.reportSetting({ id }))}
        >
          {t('menu.edit')}
        </DropdownMenuItem>
        <DropdownMenuItem danger icon={Trash2} onSelect={() => onDelete(setting)}>
          {t('delete.verb')}
        </DropdownMenuItem>
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
