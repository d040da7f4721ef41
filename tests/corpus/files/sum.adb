--  sum.adb - tasks, exceptions, checks.
with Ada.Text_IO; use Ada.Text_IO;
with Ada.Command_Line;
procedure Sum is
   type Table is array (0 .. 1008) of Integer;
   T : Table := (others => 0);
   X : Long_Long_Integer := 1;
   protected Counter is
      procedure Add (N : Integer);
      function Value return Integer;
   private
      V : Integer := 0;
   end Counter;
   protected body Counter is
      procedure Add (N : Integer) is begin V := V + N; end Add;
      function Value return Integer is (V);
   end Counter;
   Index : Integer := 2000;
begin
   for I in 1 .. 20_000 loop
      X := X * 16807 mod 2147483647;
      T (Integer (X mod 1009)) := T (Integer (X mod 1009)) + 1;
   end loop;
   declare
      task type Worker;
      task body Worker is begin for I in 1 .. 500 loop Counter.Add (1); end loop; end Worker;
      Workers : array (1 .. 4) of Worker;
   begin
      null;
   end;
   Put_Line (Integer'Image (T (17)) & Integer'Image (Counter.Value));
   begin
      T (Index) := 1;
   exception
      when Constraint_Error => Put_Line ("constraint error");
   end;
   Ada.Command_Line.Set_Exit_Status (3);
end Sum;
