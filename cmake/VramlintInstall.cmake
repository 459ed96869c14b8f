# What `cmake --install` and CPack put where: programs, plugin, GPU facts, pages,
# manual page, completions of shells, and the CMake module. Manual page and
# completions are printed by the program itself, so that they can't be stale.

include(CMakePackageConfigHelpers)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/gpu-specs/"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/vramlint/gpu-specs"
        COMPONENT vramlint FILES_MATCHING PATTERN "*.json")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT vramlint)
install(FILES README.md CHANGELOG.md
        DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT vramlint)
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME copyright
        COMPONENT vramlint)

set(VRAMLINT_PLUGIN_DIR "${CMAKE_INSTALL_LIBDIR}/vramlint")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/package/VramlintConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/package/VramlintConfig.cmake"
  INSTALL_DESTINATION "${CMAKE_INSTALL_DATADIR}/cmake/Vramlint"
  PATH_VARS CMAKE_INSTALL_BINDIR VRAMLINT_PLUGIN_DIR
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/package/VramlintConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/package/VramlintConfig.cmake"
              "${PROJECT_BINARY_DIR}/package/VramlintConfigVersion.cmake"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/cmake/Vramlint" COMPONENT vramlint)

# Printed when it is installed: the program is there then, wherever it was built.
install(CODE "
  set(Tool \"$<TARGET_FILE:vramlint>\")
  set(Root \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
  function(vramlint_print File)
    message(STATUS \"Installing: \${File}\")
    cmake_path(GET File PARENT_PATH Folder)
    file(MAKE_DIRECTORY \"\${Folder}\")
    execute_process(COMMAND \"\${Tool}\" \${ARGN} OUTPUT_FILE \"\${File}\"
                    COMMAND_ERROR_IS_FATAL ANY)
  endfunction()
  vramlint_print(\"\${Root}/bash-completion/completions/vramlint\" --completion bash)
  vramlint_print(\"\${Root}/zsh/vendor-completions/_vramlint\" --completion zsh)
  vramlint_print(\"\${Root}/fish/vendor_completions.d/vramlint.fish\" --completion fish)
  vramlint_print(\"\${Root}/man/man1/vramlint.1\" --man)
  find_program(Gzip gzip)
  if(Gzip)
    execute_process(COMMAND \"\${Gzip}\" -9nf \"\${Root}/man/man1/vramlint.1\")
  endif()
" COMPONENT vramlint)

# ---- the packages: build/release$ cpack -G DEB, or -G TGZ
set(CPACK_PACKAGE_NAME "vramlint")
set(CPACK_PACKAGE_VENDOR "vramlint")
set(CPACK_PACKAGE_CONTACT "vramlint <vramlint@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
    "says what C++ programs that use LibTorch do to GPU memory")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION "devel")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Clang's own headers (stddef.h …), of this release.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libclang-common-${LLVM_VERSION_MAJOR}-dev")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "libtorch-dev, clang-tidy-${LLVM_VERSION_MAJOR}, git")
include(CPack)
