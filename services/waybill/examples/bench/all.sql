SELECT id_key, id, deliverystatus, shipmentnumber, shipmentnumber_key, customername, customername_key, trucker, trucker_key,
  driver_id, driver_id_key, scheduledatetime, deliverydatetime, scanmode, referencedoc, referencedoc_key, source_id,
  upload_log_id, last_upload_log_id, linecount, customeraddress, time_window_start, time_window_end, contact_name,
  contact_phone, contact_email, instructions, internal_note, priority, attempt, max_attempts, created_at, created_by,
  updated_at, updated_by, version
FROM delivery ORDER BY scheduledatetime DESC, id_key DESC LIMIT 26 OFFSET 0;
SELECT rows FROM row_count WHERE name = 'delivery';
