"""What honest agents do all day: one file per kind of project, with the project and five tasks in it."""
